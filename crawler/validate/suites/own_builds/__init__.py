"""Projects that build themselves with CMake or make, built against stand-in compilers."""
