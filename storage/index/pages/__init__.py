"""Pages of kernel records, read in short transactions."""
