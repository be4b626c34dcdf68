// What an object for a stand-in is: a shared library that names its kernels.
#pragma once
#include <stddef.h>

struct StandInKernel {
  const char* symbol;
  unsigned static_shared;
  unsigned most_threads;
  unsigned count;
  const unsigned* sizes;  // of each argument, in bytes
  // runs the whole grid; anything but 0 is a launch that failed
  int (*run)(const unsigned* grid, const unsigned* block, size_t shared, void* const* values);
};
// each object defines
//   extern "C" const StandInKernel stand_in_kernels[];  the last has no symbol
// and, where it goes on beside the launches, what waits for that
//   extern "C" void stand_in_settle();
// and, where it has data kept in a cache, what ends that
//   extern "C" void stand_in_reset_cache();
