"""Source files with offsets, and what stands where in them."""
