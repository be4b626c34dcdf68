"""Read and unpack untrusted archives."""
