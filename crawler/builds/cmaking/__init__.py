"""How CMake is run over a stranger's project: seeded, lenient, and read."""
