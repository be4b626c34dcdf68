"""What the text of a file shows of kernels and launches, without a compiler."""
