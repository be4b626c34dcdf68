"""Code with comments and literals masked, at the same offsets."""
