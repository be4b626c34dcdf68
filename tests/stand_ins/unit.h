// A kernel unit as an object for a stand-in: its kernels run by the CPU execution. Included at the end of the unit.
#pragma once
#include <kernelset/cpu/host.h>

#include "object.h"

template <auto Kernel>
struct StandIn {
  using Call = kernelset::Call<Kernel>;
  static int run(const unsigned* grid, const unsigned* block, size_t shared, void* const* values) {
    const dim3 blocks(grid[0], grid[1], grid[2]), threads(block[0], block[1], block[2]);
    return kernelset::launch_here(&Call::entry, blocks, threads, shared, values, Call::entry.count) ? 0 : 1;
  }
};
template <class... P, class Run>
static StandInKernel stand_in(void (*)(P...), const char* symbol, Run run) {
  static const unsigned sizes[] = {unsigned(sizeof(P))..., 0};
  return {symbol, 0, 1024, sizeof...(P), sizes, run};
}
#define STAND_IN(symbol, ...) stand_in(__VA_ARGS__, symbol, &StandIn<__VA_ARGS__>::run)
