"""Launch sites, and the kernels that they belong to."""
