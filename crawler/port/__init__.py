"""CUDA to HIP source-to-source porting."""
