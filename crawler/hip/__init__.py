"""What HIP's own headers and compilers already define."""
