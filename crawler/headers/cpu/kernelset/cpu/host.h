// A kernel that a host program calls on a CPU, in its own process: for tests that people build, with any C++ compiler.
#pragma once
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kernelset/cpu/arena.h>

#include <kernelset/cpu/trace.h>

#include <kernelset/cpu/trace_atomics.h>

#include <kernelset/cpu/counts.h>

#include <kernelset/cpu/undefined.h>

#include <kernelset/cpu/launch.h>

#include <kernelset/cpu/steps.h>

KS_RUNTIME_BEGIN
namespace kernelset {

// The bytes of each argument lie at `values`; false where the launch ended in anything but its end. It stays a function of its
// own: steps of whoever calls it are not counted.
__attribute__((noinline)) static bool launch_here(
    const Entry* entry, dim3 grid, dim3 block, size_t shared_bytes, void* const* values, unsigned count) {
  static Report here;
  const size_t threads = size_t(block.x) * block.y * block.z;
  if (count != entry->count || !threads || threads > most_threads) return false;
  report = &here;
  memset(report, 0, sizeof(*report));
  stack_bytes = size_t(256) << 10;
  for (unsigned at = 0; at < count; ++at) arguments[at] = values[at];
  if (!place_dynamic_shared(shared_bytes)) return false;
  const Launch launch = {entry, grid, block, shared_bytes, Order::forward, 0};
  if (!open_steps(grid, threads)) return false;
  run_grid(launch);
  close_steps(threads);
  return report->finished;
}

}  // namespace kernelset
KS_RUNTIME_END
