"""A CPU execution of the CUDA and HIP model: a kernel unit as a program that runs its threads as fibers."""
