"""Results of other programs, which were brought into the index from their files."""
