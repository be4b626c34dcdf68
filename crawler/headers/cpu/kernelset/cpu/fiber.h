// Threads of a block as fibers. A fiber runs one thread after another for as long as none has to wait; only a thread
// that waits keeps its stack, and the next threads go on with another. What never waits is a plain loop.
#pragma once
#include <sys/mman.h>

#ifndef KERNELSET_WARP
#define KERNELSET_WARP 32
#endif
constexpr int warpSize = KERNELSET_WARP;
// lanes that a mask of the `_sync` family names: a HIP unit keeps to 32 of them, however wide its warps are
#ifndef KERNELSET_SYNC_LANES
#define KERNELSET_SYNC_LANES KERNELSET_WARP
#endif

KS_STATE uint3 threadIdx, blockIdx;
KS_STATE dim3 blockDim, gridDim;

KS_RUNTIME_BEGIN
namespace kernelset {

struct alignas(64) Fiber {
  void* stack_pointer;
  Fiber* next;  // in the queue that it stands in
  uint3 thread;
};
struct Queue {
  Fiber *first, *last;
};
constexpr int most_threads = 1024;         // of a block
constexpr int most_fibers = 1 << 16;       // of all blocks that wait for each other
// a wide stack costs a look at the page tables with each switch: one that is too small is told, and tried again wider
KS_STATE size_t stack_bytes = 16 << 10;

KS_STATE Fiber* running;
KS_STATE Fiber caller;  // who runs the blocks
KS_STATE Queue ready;
KS_STATE Fiber* idle;
KS_STATE Fiber* fibers;
KS_STATE int fiber_count;
KS_STATE char* stacks;
KS_STATE void (*body)();

// the next thread to begin; at the end of the last row `upcoming_x` stays at its end
KS_STATE unsigned upcoming_x, upcoming_y, upcoming_z;
KS_STATE const unsigned short* thread_order;  // null: as they are numbered
KS_STATE unsigned upcoming_rank, thread_count;

KS_PART bool resolve();

KS_HD unsigned thread_rank() { return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }
static unsigned rank_of(uint3 thread) { return (thread.z * blockDim.y + thread.y) * blockDim.x + thread.x; }

static void push(Queue& queue, Fiber* fiber) {
  fiber->next = nullptr;
  (queue.first ? queue.last->next : queue.first) = fiber;
  queue.last = fiber;
}
static Fiber* pop(Queue& queue) {
  Fiber* fiber = queue.first;
  if (fiber) queue.first = fiber->next;
  return fiber;
}
static void splice(Queue& queue, Queue& more) {
  if (!more.first) return;
  (queue.first ? queue.last->next : queue.first) = more.first;
  queue.last = more.last;
  more.first = nullptr;
}

KS_PART void run_threads();
KS_PART char* reserved(size_t bytes) {
  void* place = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place == MAP_FAILED) find_and_end(Kind::unsupported);
  return static_cast<char*>(place);
}
// stacks lie side by side, each with a page below it that nobody may touch
KS_PART Fiber* new_fiber() {
  if (!stacks) {
    stacks = reserved(stack_bytes * most_fibers);
    fibers = reinterpret_cast<Fiber*>(reserved(sizeof(Fiber) * most_fibers));
  }
  if (fiber_count == most_fibers) find_and_end(Kind::unsupported, 0, fiber_count);
  Fiber* fiber = &fibers[fiber_count];
  char* place = stacks + stack_bytes * static_cast<size_t>(fiber_count++);
  mprotect(place, 4096, PROT_NONE);
  // stacks that all began at one place in a page would fight for the same few lines of the cache
  const size_t colour = static_cast<size_t>(fiber_count) * 448 % 4096;
  fiber->stack_pointer = fresh_stack(place + stack_bytes - colour, run_threads);
  return fiber;
}
KS_PART Fiber* idle_fiber() {
  Fiber* fiber = idle;
  if (!fiber) return new_fiber();
  idle = fiber->next;
  return fiber;
}
static bool some_unstarted() {
  if (thread_order) return upcoming_rank < thread_count;
  if (upcoming_x < blockDim.x) return true;
  if (upcoming_y + 1 < blockDim.y) {
    ++upcoming_y;
  } else if (upcoming_z + 1 < blockDim.z) {
    upcoming_y = 0;
    ++upcoming_z;
  } else {
    return false;
  }
  upcoming_x = 0;
  return true;
}
// who goes on when the running fiber cannot: the caller, when nobody is left
__attribute__((noinline)) KS_PART Fiber* searched() {
  for (;;) {
    if (Fiber* fiber = pop(ready)) return fiber;
    if (some_unstarted()) return idle_fiber();
    if (!resolve()) return &caller;
  }
}
KS_HD Fiber* successor() {
  Fiber* fiber = ready.first;
  if (!fiber) return searched();
  // the stacks of a block are more than the nearest cache holds: ask for the next one while this one runs
  if (Fiber* after = ready.first = fiber->next) __builtin_prefetch(after->stack_pointer);
  return fiber;
}
KS_HD void go_to(Fiber* next) {
  Fiber* self = running;
  running = next;
  switch_stack(&self->stack_pointer, next->stack_pointer);
}
// the running thread stands in some queue; return when somebody made it ready
KS_HD void suspend() {
  running->thread = threadIdx;
  Fiber* next = successor();
  if (next != running) go_to(next);
  threadIdx = running->thread;
}

// what a fiber is: threads until none is left that has not begun, then a rest until it is asked again
KS_PART void run_threads() {
  for (;;) {
    body();
    Fiber* self = running;
    Fiber* next = successor();
    self->next = idle;
    idle = self;
    go_to(next);
  }
}
// each returns when the block is done, or waits for another
KS_PART void begin_threads() {
  running = &caller;
  upcoming_x = upcoming_y = upcoming_z = upcoming_rank = 0;
  go_to(idle_fiber());
}
KS_PART void resume_threads() {
  running = &caller;
  if (Fiber* next = successor(); next != running) go_to(next);
}

KS_PART void find(Kind kind, unsigned line, int buffer, long long offset, int value) {
  Finding& found = report->findings[unsigned(kind)];
  if (found.times++) return;
  found.block = blockIdx;
  found.thread = threadIdx;
  found.line = line;
  found.buffer = buffer;
  found.offset = offset;
  found.value = value;
}

}  // namespace kernelset
KS_RUNTIME_END
