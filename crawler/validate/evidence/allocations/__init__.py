"""What host code says of the memory that it passes to a kernel: how much, and what it holds."""
