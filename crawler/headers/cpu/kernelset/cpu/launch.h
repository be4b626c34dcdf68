// A kernel's grid, block after block.
#pragma once
#include <kernelset/cpu/entry.h>
#include <kernelset/cpu/turn.h>

KS_RUNTIME_BEGIN
namespace kernelset {

enum class Order { forward, reverse, random };
struct Launch {
  const Entry* entry;
  dim3 grid, block;
  size_t shared_bytes;
  Order order;
  unsigned long long seed;
};

static unsigned long long drawn(unsigned long long& state) {  // splitmix64
  unsigned long long z = state += 0x9e3779b97f4a7c15ull;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ z >> 27) * 0x94d049bb133111ebull;
  return z ^ z >> 31;
}
KS_SELDOM_BEGIN
template <class T>
static T* ordered(size_t count, Order order, unsigned long long seed) {
  T* numbers = static_cast<T*>(malloc(sizeof(T) * (count + 1)));
  for (size_t at = 0; at < count; ++at) numbers[at] = static_cast<T>(order == Order::reverse ? count - 1 - at : at);
  for (size_t left = count; order == Order::random && left > 1; --left) {
    std::swap(numbers[left - 1], numbers[drawn(seed) % left]);
  }
  return numbers;
}
// of the one thread that there is: while a timer runs, Linux counts a whole process in ticks, of which a launch may take none
static long long processor_time() {
  timespec used;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return used.tv_sec * 1000000000ll + used.tv_nsec;
}
KS_SELDOM_END
static void run_grid(const Launch& launch) {
  gridDim = launch.grid;
  blockDim = launch.block;
  thread_count = blockDim.x * blockDim.y * blockDim.z;
  body = launch.entry->threads;
  const size_t blocks = size_t(gridDim.x) * gridDim.y * gridDim.z;
  unsigned* block_order = nullptr;
  if (launch.order != Order::forward) {
    thread_order = ordered<unsigned short>(thread_count, launch.order, launch.seed);
    block_order = ordered<unsigned>(blocks, launch.order, launch.seed + 1);
  }
  const long long began = processor_time();
  for (size_t at = 0; at < blocks; ++at) begin_turn(block_order ? block_order[at] : static_cast<unsigned>(at));
  while (parked) take_turns();
  report->nanoseconds = processor_time() - began;
  report->finished = 1;
  if (!block_order) return;
  free(block_order);
  free(const_cast<unsigned short*>(thread_order));
  thread_order = nullptr;
}

}  // namespace kernelset
KS_RUNTIME_END
