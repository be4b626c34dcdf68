"""CUDA to HIP, source to source, by rules on tokens."""
