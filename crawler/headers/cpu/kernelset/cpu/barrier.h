// Barriers of a block. One opens when nobody can go on: then every thread waits or has ended, as the rule asks.
// Rule: CUDA C++ Programming Guide, "Synchronization Functions"; threads that have ended do not count.
#pragma once

KS_RUNTIME_BEGIN
namespace kernelset {

KS_STATE Queue at_barrier;
struct Agreement {
  int count, all, any;
};
KS_STATE Agreement agreed, growing;
KS_STATE unsigned arrived, first_line;
KS_STATE unsigned barrier_epoch = 1;
// Whole warps may wait at different barriers of a text, lanes of one warp may not.
// Rule: PTX ISA, "barrier": in conditional code all threads of a warp have to come to the same one.
struct WarpBarrier {
  unsigned epoch, line;
};
KS_STATE WarpBarrier warp_barriers[most_threads / 32 + 1];

// where each thread waited last, and when
KS_STATE WarpBarrier thread_barriers[most_threads];

KS_HD void wait_for_block(int predicate, unsigned line) {
  if (!at_barrier.first) {
    growing = {0, 1, 0};
    arrived = 0;
    first_line = line;
  }
  ++arrived;
  growing.count += predicate != 0;
  growing.all &= predicate != 0;
  growing.any |= predicate != 0;
  WarpBarrier& own = warp_barriers[thread_rank() / warpSize];
  if (own.epoch != barrier_epoch) own = {barrier_epoch, line};
  if (line != own.line) find(Kind::divergent_barrier, line, -1, 0, int(own.line));
  thread_barriers[thread_rank()] = {barrier_epoch, line};
  push(at_barrier, running);
  suspend();
}
KS_STATE unsigned block_epoch;  // that of the first barrier of the running block's turn
// A thread that has been at a barrier, and ends while others of its warp come there once more, took another way round a
// loop than they did. One that ended before it came there at all has left early, which is allowed.
KS_PART void find_uneven_turns() {
  for (unsigned warp = 0; warp * warpSize < thread_count; ++warp) {
    const unsigned first = warp * warpSize, end = first + warpSize < thread_count ? first + warpSize : thread_count;
    const WarpBarrier waiting = warp_barriers[warp];
    if (waiting.epoch != barrier_epoch) continue;
    for (unsigned rank = first; rank < end; ++rank) {
      const WarpBarrier last = thread_barriers[rank];
      const bool has_left = last.epoch >= block_epoch && last.epoch != barrier_epoch && last.line == waiting.line;
      if (has_left) return find(Kind::divergent_barrier, waiting.line, -1, 0, int(rank));
    }
  }
}
KS_PART bool open_barrier() {
  if (!at_barrier.first) return false;
  if (arrived < thread_count) {
    find(Kind::early_exit, first_line, -1, 0, int(thread_count - arrived));
    find_uneven_turns();
  }
  agreed = growing;
  ++barrier_epoch;
  splice(ready, at_barrier);
  return true;
}

// threads at the grid's barrier, and such as wait for what another block does: both leave the turn to other blocks
KS_STATE Queue at_grid_barrier, spinning;
KS_PART void wait_for_grid() {
  push(at_grid_barrier, running);
  suspend();
}
// called where a thread may be trying again and again; now and then all others have their turn
KS_STATE unsigned tries, rounds;
__attribute__((noinline)) KS_PART void give_way() {
  tries = 0;
  if (ready.first || at_barrier.first || some_unstarted()) find(Kind::spin_wait);
  push(spinning, running);
  suspend();
}
// whether those that wait for others try again; every other time the whole block gives way to other blocks
KS_PART bool try_in_block() {
  if (++rounds % 2 == 0) return false;
  splice(ready, spinning);
  return true;
}
KS_HD void try_again() {
  if (++tries > 1000) give_way();
}

}  // namespace kernelset

KS_BARRIER void __syncthreads(unsigned line = __builtin_LINE()) { kernelset::wait_for_block(0, line); }
KS_BARRIER int __syncthreads_count(int predicate, unsigned line = __builtin_LINE()) {
  kernelset::wait_for_block(predicate, line);
  return kernelset::agreed.count;
}
KS_BARRIER int __syncthreads_and(int predicate, unsigned line = __builtin_LINE()) {
  kernelset::wait_for_block(predicate, line);
  return kernelset::agreed.all;
}
KS_BARRIER int __syncthreads_or(int predicate, unsigned line = __builtin_LINE()) {
  kernelset::wait_for_block(predicate, line);
  return kernelset::agreed.any;
}
KS_RUNTIME_END
