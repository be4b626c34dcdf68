"""What host code rests on, made ready to be evaluated: constants, macros and functions."""
