"""SIMT emulator: kernel units compiled as host programs that run their GPU threads as fibers on
a CPU.
"""
