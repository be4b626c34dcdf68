"""What libclang tells of a translation unit."""
