"""Values in memory: scalar, element and parameter types, blobs, and the comparison of outputs."""
