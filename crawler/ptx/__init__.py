"""NVIDIA's PTX and inline assembly, and what they mean in HIP and on a CPU."""
