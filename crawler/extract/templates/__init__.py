"""Template arguments that a kernel is instantiated with."""
