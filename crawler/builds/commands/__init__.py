"""Parse compiler command lines, and translate them into flags for clang."""
