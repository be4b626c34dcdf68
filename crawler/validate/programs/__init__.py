"""Run the programs of a project on the CPU model, with its kernels as their authors launch them."""
