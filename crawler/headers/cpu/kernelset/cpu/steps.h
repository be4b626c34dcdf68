// How many steps the warps of a launch take: each piece of a kernel's code that is entered is one, and so is each read and
// write of memory. Clang's instrumentation calls the functions below; its runtime is not linked, these stand in its place.
// A warp takes as many steps as the lane that takes most: whoever leaves all work to one thread gains nothing.
#pragma once

#ifndef KERNELSET_STEPS
namespace kernelset {
KS_D bool open_steps(dim3, size_t) { return true; }
KS_D void close_steps(size_t) {}
}  // namespace kernelset
#else
KS_RUNTIME_BEGIN
namespace kernelset {

static unsigned long long steps;  // of the last launch
static unsigned long long* thread_steps;  // by thread of the grid; null while none runs
static size_t counted_threads;

static bool open_steps(dim3 grid, size_t block_threads) {
  counted_threads = size_t(grid.x) * grid.y * grid.z * block_threads;
  const int how = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void* place = mmap(nullptr, counted_threads * sizeof(*thread_steps), PROT_READ | PROT_WRITE, how, -1, 0);
  if (place == MAP_FAILED) return false;
  thread_steps = static_cast<unsigned long long*>(place);
  return true;
}
static void close_steps(size_t block_threads) {
  steps = 0;
  for (size_t block = 0; block < counted_threads; block += block_threads) {
    for (size_t first = 0; first < block_threads; first += warpSize) {
      unsigned long long most = 0;
      for (size_t lane = first; lane < first + warpSize && lane < block_threads; ++lane) {
        most = thread_steps[block + lane] > most ? thread_steps[block + lane] : most;
      }
      steps += most;
    }
  }
  munmap(thread_steps, counted_threads * sizeof(*thread_steps));
  thread_steps = nullptr;
}
KS_D void take_step() {
  // where no launch runs, and where the last thread of a block has ended, it is nobody's step
  if (!thread_steps || thread_rank() >= thread_count) return;
  const size_t block = (size_t(blockIdx.z) * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  ++thread_steps[block * thread_count + thread_rank()];
}

}  // namespace kernelset
extern "C" {
__attribute__((used)) void __sanitizer_cov_trace_pc() { kernelset::take_step(); }
#define KS_STEP(what) \
  __attribute__((used)) void __sanitizer_cov_##what(const void*) { kernelset::take_step(); }
KS_STEP(load1) KS_STEP(load2) KS_STEP(load4) KS_STEP(load8) KS_STEP(load16)
KS_STEP(store1) KS_STEP(store2) KS_STEP(store4) KS_STEP(store8) KS_STEP(store16)
#undef KS_STEP
}
KS_RUNTIME_END
#endif
