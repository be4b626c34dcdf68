"""What the compilers have in common: headers, device libraries, messages and symbols."""
