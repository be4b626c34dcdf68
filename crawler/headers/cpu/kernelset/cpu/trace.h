// Every read and write of a kernel, by the functions that ThreadSanitizer's instrumentation calls; its runtime is not
// linked, these stand in its place. A byte's shadow knows who read and who wrote it last, and when.
#pragma once

#ifndef KERNELSET_TRACE
namespace kernelset {
struct BlockTrace {};
KS_D void begin_block(unsigned) {}
KS_D BlockTrace leave_block() { return {}; }
KS_D void enter_block(unsigned, BlockTrace) {}
KS_D void open_grid() {}
}  // namespace kernelset
#else
KS_RUNTIME_BEGIN
namespace kernelset {

// threads are counted from 1 over the whole grid
struct Shadow {
  unsigned writer, reader;
  unsigned written_at, read_at;      // the block's epoch
  unsigned short write_round, read_round;  // the warp's
  unsigned char written, by_atomic, several_readers;
  unsigned char overwritten;  // by several threads of one launch, with nothing between
};
static_assert(sizeof(Shadow) == 24);
static Shadow *static_shadow, *dynamic_shadow;
static unsigned *released;  // by block: the epoch up to which its writes were published
static unsigned block_number, block_began, acquired, grid_opened;
constexpr size_t most_dynamic = 1 << 20;

KS_SELDOM_BEGIN
static void* sparse(size_t bytes) {
  const int how = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void* place = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, how, -1, 0);
  if (place == MAP_FAILED) find_and_end(Kind::unsupported);
  return place;
}
KS_SELDOM_END
static void begin_block(unsigned number) {
  block_number = number;
  block_began = ++barrier_epoch;
  acquired = fenced = 0;
}

// what is known of a block that waits for others: its shared memory has a shadow of its own
struct BlockTrace {
  unsigned began, acquired, fenced;
  Shadow *static_part, *dynamic_part;
};
KS_SELDOM_BEGIN
static Shadow* kept(Shadow* shadow, size_t count) {
  Shadow* copy = static_cast<Shadow*>(malloc((count + 1) * sizeof(Shadow)));
  if (!copy) find_and_end(Kind::unsupported);
  memcpy(copy, shadow, count * sizeof(Shadow));
  return copy;
}
static size_t static_count() { return static_cast<size_t>(__stop_ks_shared - __start_ks_shared); }
static BlockTrace leave_block() {
  return {block_began, acquired, fenced, kept(static_shadow, static_count()), kept(dynamic_shadow, dynamic_bytes)};
}
static void enter_block(unsigned number, BlockTrace trace) {
  block_number = number;
  block_began = trace.began;
  acquired = trace.acquired;
  fenced = trace.fenced;
  memcpy(static_shadow, trace.static_part, static_count() * sizeof(Shadow));
  memcpy(dynamic_shadow, trace.dynamic_part, dynamic_bytes * sizeof(Shadow));
  free(trace.static_part);
  free(trace.dynamic_part);
}
KS_SELDOM_END
static void open_grid() { grid_opened = barrier_epoch++; }

static unsigned thread_number() { return block_number * thread_count + thread_rank() + 1; }
static unsigned short warp_round() { return static_cast<unsigned short>(warps[thread_rank() / warpSize].epoch); }
// whether what `thread` did at `epoch` comes before what the running thread does now
static bool is_before(unsigned thread, unsigned epoch, unsigned short round) {
  if (!thread || thread == thread_number()) return true;
  if (epoch <= grid_opened) return true;
  const unsigned block = (thread - 1) / thread_count;
  if (block != block_number) return released[block] && epoch <= released[block] && released[block] <= acquired;
  if (epoch != barrier_epoch) return true;
  return lane_of(0) == 0 && (thread - 1) % thread_count / warpSize == thread_rank() / warpSize && round != warp_round();
}

}  // namespace kernelset
KS_RUNTIME_END
#ifdef KERNELSET_PROGRAM
#include <kernelset/program/places.h>
#else
#include <kernelset/cpu/places.h>
#endif
KS_RUNTIME_BEGIN
namespace kernelset {

static void freshen(Shadow& shadow, const Place& place) {
  // shared memory begins anew with each block
  if (place.buffer < 0 && shadow.written_at < block_began && shadow.read_at < block_began) shadow = {};
}
static void note_read(Shadow& shadow, const Place& place) {
  count_read(shadow, place);
  if (!shadow.written) {
    if (place.buffer < 0) find(Kind::uninitialised_read, 0, place.buffer, place.offset);
    else note_exposed(place);
  }
  // a plain look at what atomics change is how loops of compare-and-swap begin
  if (!shadow.by_atomic && !is_before(shadow.writer, shadow.written_at, shadow.write_round)) {
    find(Kind::race, 0, place.buffer, place.offset);
  }
  const unsigned self = thread_number();
  const bool other = shadow.reader && shadow.reader != self && shadow.read_at == barrier_epoch;
  shadow.several_readers = other || (shadow.several_readers && shadow.read_at == barrier_epoch);
  shadow.reader = self;
  shadow.read_at = barrier_epoch;
  shadow.read_round = warp_round();
}
static void note_write(Shadow& shadow, const Place& place, bool atomic) {
  count_written(shadow, place);
  const bool with_atomic = atomic && shadow.by_atomic;
  const bool after_write = with_atomic || is_before(shadow.writer, shadow.written_at, shadow.write_round);
  const bool after_reads = atomic || (is_before(shadow.reader, shadow.read_at, shadow.read_round) &&
                                      !(shadow.several_readers && shadow.read_at == barrier_epoch));
  // of a block's own memory an atomic takes what another thread plainly writes, or loses it
  const bool mixed = !after_write && place.buffer < 0 && atomic != bool(shadow.by_atomic);
  if (!after_reads || mixed) find(Kind::race, 0, place.buffer, place.offset);
  else if (!after_write) find(Kind::overwrite, 0, place.buffer, place.offset);
  shadow.overwritten |= !after_write;
  shadow.writer = thread_number();
  shadow.written_at = barrier_epoch;
  shadow.write_round = warp_round();
  shadow.written = 1;
  shadow.by_atomic = atomic;
}
static void note_misaligned(const char* address) {
  Place place;
  if (placed(address, place)) find(Kind::misaligned, 0, place.buffer, place.offset);
}
static void note(const volatile void* address, size_t size, bool write) {
  Place place;
  if (!placed(static_cast<const char*>(const_cast<const void*>(address)), place)) return;
  if (place.buffer >= 0) note_extent(place, size, write);
  for (size_t at = 0; at < size; ++at, ++place.offset) {
    Shadow& shadow = place.shadow[at];
    freshen(shadow, place);
    write ? note_write(shadow, place, false) : note_read(shadow, place);
  }
}
static void note_aligned(const volatile void* address, size_t size, bool write) {
  const size_t place = reinterpret_cast<size_t>(address);
  if (place % size) note_misaligned(static_cast<const char*>(const_cast<const void*>(address)));
  note(address, size, write);
}
KS_PART void note_atomic(const volatile void* address, size_t size) {
  acquired = barrier_epoch;
  if (fenced) released[block_number] = barrier_epoch;
  Place place;
  if (!placed(static_cast<const char*>(const_cast<const void*>(address)), place)) return;
  if (place.buffer >= 0) note_atomic_extent(place, size);
  for (size_t at = 0; at < size; ++at, ++place.offset) {
    Shadow& shadow = place.shadow[at];
    freshen(shadow, place);
    count_read(shadow, place);
    if (!shadow.written) {
      if (place.buffer < 0) find(Kind::uninitialised_read, 0, place.buffer, place.offset);
      else note_exposed(place);
    }
    note_write(shadow, place, true);
  }
}

}  // namespace kernelset

#define KS_TSAN extern "C" __attribute__((visibility("hidden"), used))
#define KS_TSAN_ALIAS(NAME, OF) KS_TSAN void __tsan_##NAME(void*) __attribute__((alias("__tsan_" #OF)));
// what is copied in pieces of its type's alignment is refused by a device at any other address
#define KS_TSAN_SIZE(N)                                                                            \
  KS_TSAN void __tsan_unaligned_read##N(void* p) { kernelset::note(p, N, false); }                 \
  KS_TSAN void __tsan_unaligned_write##N(void* p) { kernelset::note(p, N, true); }                 \
  KS_TSAN void __tsan_unaligned_read_write##N(void* p) {                                           \
    kernelset::note(p, N, false);                                                                  \
    kernelset::note(p, N, true);                                                                   \
  }                                                                                                \
  KS_TSAN void __tsan_read##N(void* p) { kernelset::note_aligned(p, N, false); }                   \
  KS_TSAN void __tsan_write##N(void* p) { kernelset::note_aligned(p, N, true); }                   \
  KS_TSAN void __tsan_read_write##N(void* p) {                                                     \
    kernelset::note_aligned(p, N, false);                                                          \
    kernelset::note(p, N, true);                                                                   \
  }                                                                                                \
  KS_TSAN_ALIAS(volatile_read##N, read##N)                                                         \
  KS_TSAN_ALIAS(volatile_write##N, write##N)                                                       \
  KS_TSAN_ALIAS(unaligned_volatile_read##N, unaligned_read##N)                                     \
  KS_TSAN_ALIAS(unaligned_volatile_write##N, unaligned_write##N)
KS_TSAN_SIZE(1) KS_TSAN_SIZE(2) KS_TSAN_SIZE(4) KS_TSAN_SIZE(8) KS_TSAN_SIZE(16)
#undef KS_TSAN_SIZE
#undef KS_TSAN_ALIAS
KS_TSAN void __tsan_read_range(void* p, size_t size) { kernelset::note(p, size, false); }
KS_TSAN void __tsan_write_range(void* p, size_t size) { kernelset::note(p, size, true); }
KS_TSAN void __tsan_vptr_read(void**) {}
KS_TSAN void __tsan_vptr_update(void**, void*) {}
KS_TSAN void __tsan_func_entry(void*) {}
KS_TSAN void __tsan_func_exit() {}
KS_TSAN void __tsan_init() {}
KS_TSAN void* __tsan_memcpy(void* to, const void* from, size_t size) {
  kernelset::note(from, size, false);
  kernelset::note(to, size, true);
  return memcpy(to, from, size);
}
KS_TSAN void* __tsan_memmove(void* to, const void* from, size_t size) {
  kernelset::note(from, size, false);
  kernelset::note(to, size, true);
  return memmove(to, from, size);
}
KS_TSAN void* __tsan_memset(void* to, int byte, size_t size) {
  kernelset::note(to, size, true);
  return memset(to, byte, size);
}
KS_RUNTIME_END
#endif
