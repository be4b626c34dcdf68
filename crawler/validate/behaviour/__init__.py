"""What a kernel does when the same launch is repeated in other orders, widths and roundings."""
