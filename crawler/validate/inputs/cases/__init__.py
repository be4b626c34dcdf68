"""Cases of a kernel, as variations of its ordinary trial."""
