"""Host C++ source of emulated programs."""
