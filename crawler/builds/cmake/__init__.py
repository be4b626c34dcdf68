"""Run CMake over untrusted projects, and read the compile commands that it generates."""
