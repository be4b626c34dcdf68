"""Facts read from build files as text; nothing is run."""
