"""Stub compilers that record their calls, and stand-ins for the CUDA and ROCm toolkits."""
