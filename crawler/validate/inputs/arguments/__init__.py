"""Layout of kernel arguments."""
