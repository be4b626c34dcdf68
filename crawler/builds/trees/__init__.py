"""Private copies of a checkout."""
