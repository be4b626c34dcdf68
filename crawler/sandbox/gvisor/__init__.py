"""Runs on a kernel of their own, which gVisor is, and what of the host it takes to make one."""
