"""A project's program built for this machine's CPU, with its kernels on the CPU model."""
