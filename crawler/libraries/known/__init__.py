"""Plugins: the header libraries that Kernelset knows, a file each."""
