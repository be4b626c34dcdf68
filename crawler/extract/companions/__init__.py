"""What host code rests on: the constants, functions and classes that it names, and its callers."""
