// Blocks have the processor in turn: each to its end, but for those that wait for others, at the grid's barrier or for what
// another block will write. These are set aside with their shared memory and their waiting threads, until their next turn.
#pragma once
#include <kernelset/cpu/rubbish.h>

KS_RUNTIME_BEGIN
namespace kernelset {

struct Parked {
  Parked* next;
  unsigned number;
  Queue ready, at_barrier, at_grid_barrier, spinning;
  Agreement growing;
  unsigned arrived, first_line;
  Warp* warps;  // where lanes wait for each other
  char *static_part, *dynamic_part;
  BlockTrace trace;
};
static Parked* parked;

static size_t static_bytes() { return static_cast<size_t>(statics_end - statics_begin); }
static int shared_fill = 0xff;  // NaN for most types
static void fill_shared() {
  if (static_bytes()) fill_bytes(statics_begin, static_bytes(), shared_fill);
  if (dynamic_bytes) fill_bytes(dynamic_shared, dynamic_bytes, shared_fill);
}
static char* copied(const void* from, size_t bytes) {
  char* copy = static_cast<char*>(malloc(bytes + 1));
  if (!copy) find_and_end(Kind::unsupported);
  if (bytes) memcpy(copy, from, bytes);
  return copy;
}
static void bring_back(void* to, char* copy, size_t bytes) {
  if (bytes) memcpy(to, copy, bytes);
  free(copy);
}
static void take(Queue& from, Queue& to) {
  to = from;
  from.first = nullptr;
}
KS_SELDOM_BEGIN
static bool lanes_wait() {
  bool any = false;
  for (unsigned warp = 0; warp * warpSize < thread_count; ++warp) any |= warps[warp].meeting_count != 0;
  return any;
}
static void park(unsigned number) {
  Parked* block = static_cast<Parked*>(calloc(1, sizeof(Parked)));
  block->number = number;
  take(ready, block->ready);
  take(at_barrier, block->at_barrier);
  block->growing = growing;
  block->arrived = arrived;
  block->first_line = first_line;
  take(at_grid_barrier, block->at_grid_barrier);
  take(spinning, block->spinning);
  if (lanes_wait()) {
    block->warps = reinterpret_cast<Warp*>(copied(warps, sizeof(warps)));
    for (Warp& warp : warps) warp.meeting_count = 0;
  }
  block->static_part = copied(statics_begin, static_bytes());
  block->dynamic_part = copied(dynamic_shared, dynamic_bytes);
  block->trace = leave_block();
  block->next = parked;
  parked = block;
}
KS_SELDOM_END
static void end_turn(unsigned number) {
  if (at_grid_barrier.first || spinning.first) park(number);
  else ++report->blocks_done;
}
static void place_block(unsigned number) {
  blockIdx = {number % gridDim.x, number / gridDim.x % gridDim.y, number / gridDim.x / gridDim.y};
}
static void begin_turn(unsigned number) {
  place_block(number);
  fill_shared();
  begin_block(number);
  block_epoch = barrier_epoch;
  begin_threads();
  end_turn(number);
}
KS_SELDOM_BEGIN
static void resume_turn(Parked* block, bool grid_is_open) {
  place_block(block->number);
  bring_back(statics_begin, block->static_part, static_bytes());
  bring_back(dynamic_shared, block->dynamic_part, dynamic_bytes);
  if (block->warps) bring_back(warps, reinterpret_cast<char*>(block->warps), sizeof(warps));
  enter_block(block->number, block->trace);
  block_epoch = barrier_epoch;
  take(block->ready, ready);
  take(block->at_barrier, at_barrier);
  growing = block->growing;
  arrived = block->arrived;
  first_line = block->first_line;
  splice(ready, block->spinning);
  if (grid_is_open) splice(ready, block->at_grid_barrier);
  else take(block->at_grid_barrier, at_grid_barrier);
  resume_threads();
  end_turn(block->number);
  free(block);
}
// the grid's barrier opens when no block waits for anything else
static void take_turns() {
  Parked* turns = nullptr;
  bool grid_is_open = true;
  while (Parked* block = parked) {
    grid_is_open &= !block->spinning.first && !block->at_barrier.first;
    parked = block->next;
    block->next = turns;
    turns = block;
  }
  if (grid_is_open) open_grid();
  while (Parked* block = turns) {
    turns = block->next;
    resume_turn(block, grid_is_open);
  }
}

KS_SELDOM_END
}  // namespace kernelset
KS_RUNTIME_END
