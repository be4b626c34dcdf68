// Every read and write of a kernel, by the functions that ThreadSanitizer's instrumentation calls; its runtime is not
// linked, these stand in its place. A shadow knows who read and who wrote a place last, and when.
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
  unsigned char is_split : 1, overwritten : 1;  // the second: by several threads of a launch, with nothing between
};
static_assert(sizeof(Shadow) == 24);
// Four bytes share a shadow for as long as they are read and written as one. What takes a part of them splits it, and
// from then on each byte has its own: most memory is never split, and costs a quarter of the time and of the pages.
constexpr size_t granule = 4;
struct Shadows {
  Shadow *granules, *bytes;
};
static Shadows static_shadows, dynamic_shadows;
static unsigned *published_epochs;  // by block: the epoch up to which its writes were published
static unsigned block_number, block_began, acquired, grid_opened;
constexpr size_t most_dynamic = 1 << 20;

// shared variables of one byte may begin anywhere
static const char* static_begin() { return statics_begin - reinterpret_cast<size_t>(statics_begin) % granule; }
KS_SELDOM_BEGIN
static void* sparse(size_t bytes) {
  const int how = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void* place = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, how, -1, 0);
  if (place == MAP_FAILED) find_and_end(Kind::unsupported);
  return place;
}
static size_t granules_of(size_t bytes) { return bytes / granule + 2; }
static Shadows sparse_shadows(size_t bytes) {
  return {static_cast<Shadow*>(sparse(granules_of(bytes) * sizeof(Shadow))),
          static_cast<Shadow*>(sparse((bytes + granule) * sizeof(Shadow)))};
}
KS_SELDOM_END
static void begin_block(unsigned number) {
  block_number = number;
  block_began = ++barrier_epoch;
  acquired = fenced = 0;
}

// what is known of a block that waits for others: its shared memory has shadows of its own
struct BlockTrace {
  unsigned began, acquired, fenced;
  Shadows static_part, dynamic_part;
};
KS_SELDOM_BEGIN
static Shadow* kept(const Shadow* from, size_t count) {
  Shadow* copy = static_cast<Shadow*>(malloc(count * sizeof(Shadow)));
  if (!copy) find_and_end(Kind::unsupported);
  memcpy(copy, from, count * sizeof(Shadow));
  return copy;
}
static Shadows kept(const Shadows& from, size_t bytes) {
  return {kept(from.granules, granules_of(bytes)), kept(from.bytes, bytes + granule)};
}
static void bring_back(const Shadows& to, const Shadows& copy, size_t bytes) {
  memcpy(to.granules, copy.granules, granules_of(bytes) * sizeof(Shadow));
  memcpy(to.bytes, copy.bytes, (bytes + granule) * sizeof(Shadow));
  free(copy.granules);
  free(copy.bytes);
}
static size_t static_count() { return static_cast<size_t>(statics_end - static_begin()); }
static BlockTrace leave_block() {
  return {block_began, acquired, fenced, kept(static_shadows, static_count()), kept(dynamic_shadows, dynamic_bytes)};
}
static void enter_block(unsigned number, BlockTrace trace) {
  block_number = number;
  block_began = trace.began;
  acquired = trace.acquired;
  fenced = trace.fenced;
  bring_back(static_shadows, trace.static_part, static_count());
  bring_back(dynamic_shadows, trace.dynamic_part, dynamic_bytes);
}
KS_SELDOM_END
static void open_grid() { grid_opened = barrier_epoch++; }

static unsigned thread_number() { return block_number * thread_count + thread_rank() + 1; }
static unsigned short warp_round() { return static_cast<unsigned short>(warps[thread_rank() / warpSize].epoch); }
// whether what `thread` did at `epoch` comes before what the running thread, `self`, does now
static bool is_before(unsigned thread, unsigned epoch, unsigned short round, unsigned self) {
  if (!thread || thread == self) return true;
  if (epoch <= grid_opened) return true;
  // beyond the threads of this block, whichever way, if it is of another
  const unsigned rank = thread - 1 - block_number * thread_count;
  if (rank >= thread_count) {
    if (!acquired) return false;
    const unsigned block = (thread - 1) / thread_count;
    return published_epochs[block] && epoch <= published_epochs[block] && published_epochs[block] <= acquired;
  }
  if (epoch != barrier_epoch) return true;
  return lane_of(0) == 0 && rank / warpSize == thread_rank() / warpSize && round != warp_round();
}
struct Place {
  Shadows shadows;
  size_t into;  // bytes from where the shadows begin
  int buffer;   // -2: shared memory
  long long offset;
  unsigned bytes;  // how many of them are looked at as one
};
// in the memory of the running block
static bool placed_in_block(const char* address, Place& place) {
  if (address >= statics_begin && address < statics_end) {
    place = {static_shadows, static_cast<size_t>(address - static_begin()), -2, address - statics_begin, 0};
    return true;
  }
  const size_t into = static_cast<size_t>(address - dynamic_shared);
  if (into >= dynamic_bytes) {
    // up to where the next page would tell
    if (dynamic_bytes && into < dynamic_bytes + -dynamic_bytes % 16) find(Kind::out_of_bounds, 0, -2, static_cast<long long>(into));
    return false;
  }
  place = {dynamic_shadows, into, -2, address - dynamic_shared, 0};
  return true;
}
// once for each byte
static void find_at(Kind kind, const Place& place) {
  find(kind, 0, place.buffer, place.offset);
  report->findings[unsigned(kind)].times += place.bytes - 1;
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
static void note_read(Shadow& shadow, const Place& place, unsigned self) {
  count_read(shadow, place);
  if (!shadow.written) note_exposed(place);
  // a plain look at what atomics change is how loops of compare-and-swap begin
  if (!shadow.by_atomic && !is_before(shadow.writer, shadow.written_at, shadow.write_round, self)) find_at(Kind::race, place);
  const bool other = shadow.reader && shadow.reader != self && shadow.read_at == barrier_epoch;
  shadow.several_readers = other || (shadow.several_readers && shadow.read_at == barrier_epoch);
  shadow.reader = self;
  shadow.read_at = barrier_epoch;
  shadow.read_round = warp_round();
}
static void note_write(Shadow& shadow, const Place& place, unsigned self, bool atomic) {
  count_written(shadow, place);
  const bool with_atomic = atomic && shadow.by_atomic;
  const bool after_write = with_atomic || is_before(shadow.writer, shadow.written_at, shadow.write_round, self);
  const bool after_reads = atomic || (is_before(shadow.reader, shadow.read_at, shadow.read_round, self) &&
                                      !(shadow.several_readers && shadow.read_at == barrier_epoch));
  // of a block's own memory an atomic takes what another thread plainly writes, or loses it
  const bool mixed = !after_write && place.buffer < 0 && atomic != bool(shadow.by_atomic);
  if (!after_reads || mixed) find_at(Kind::race, place);
  else if (!after_write) find_at(Kind::overwrite, place);
  const bool is_unordered = atomic && place.buffer == -2 && !is_before(shadow.reader, shadow.read_at, shadow.read_round, self);
  if (is_unordered) find_at(Kind::unordered_read, place);
  if (!after_write) shadow.overwritten = 1;
  shadow.writer = self;
  shadow.written_at = barrier_epoch;
  shadow.write_round = warp_round();
  shadow.written = 1;
  shadow.by_atomic = atomic;
}
static void note_change(Shadow& shadow, const Place& place, unsigned self) {
  count_read(shadow, place);
  if (!shadow.written) note_exposed(place);
  note_write(shadow, place, self, true);
}
// Looks at each byte of a granule of which a part is read or written, or was before.
template <class Look>
__attribute__((noinline)) static void look_at_bytes(Shadow& whole, Place place, size_t count, Look look) {
  Shadow* const bytes = place.shadows.bytes;
  const size_t begin = place.into - place.into % granule;
  for (size_t at = 0; at < granule && !whole.is_split; ++at) bytes[begin + at] = whole;
  whole.is_split = 1;
  // so that it stays split while the block runs
  whole.written_at = barrier_epoch;
  place.bytes = 1;
  for (size_t at = 0; at < count; ++at, ++place.offset) {
    Shadow& shadow = bytes[place.into + at];
    freshen(shadow, place);
    look(shadow, place);
  }
}
template <class Look>
static void look_at_granules(Place& place, size_t size, Look look) {
  while (size) {
    Shadow& whole = place.shadows.granules[place.into / granule];
    const size_t rest = granule - place.into % granule, count = rest < size ? rest : size;
    freshen(whole, place);
    if (count == granule && !whole.is_split) {
      place.bytes = granule;
      look(whole, place);
    } else {
      look_at_bytes(whole, place, count, look);
    }
    place.into += count;
    place.offset += static_cast<long long>(count);
    size -= count;
  }
}
static void note_misaligned(const char* address) {
  Place place;
  if (find_place(address, place)) find(Kind::misaligned, 0, place.buffer, place.offset);
}
static void note(const volatile void* address, size_t size, bool write) {
  Place place;
  if (!find_place(static_cast<const char*>(const_cast<const void*>(address)), place)) return;
  if (place.buffer >= 0) note_extent(place, size, write);
  const unsigned self = thread_number();
  if (write) look_at_granules(place, size, [self](Shadow& shadow, const Place& at) { note_write(shadow, at, self, false); });
  else look_at_granules(place, size, [self](Shadow& shadow, const Place& at) { note_read(shadow, at, self); });
}
static void note_aligned(const volatile void* address, size_t size, bool write) {
  const size_t place = reinterpret_cast<size_t>(address);
  if (place % size) note_misaligned(static_cast<const char*>(const_cast<const void*>(address)));
  note(address, size, write);
}
KS_PART void note_atomic(const volatile void* address, size_t size) {
  acquired = barrier_epoch;
  if (fenced) published_epochs[block_number] = barrier_epoch;
  Place place;
  if (!find_place(static_cast<const char*>(const_cast<const void*>(address)), place)) return;
  if (place.buffer >= 0) note_atomic_extent(place, size);
  const unsigned self = thread_number();
  look_at_granules(place, size, [self](Shadow& shadow, const Place& at) { note_change(shadow, at, self); });
}

}  // namespace kernelset

#define KS_TSAN extern "C" KS_HIDDEN __attribute__((used))
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
// a copy of a whole structure: see `crawler/validate/toolchains/aligned_copies.py`
KS_TSAN void kernelset_check_aligned(void* p, size_t alignment) {
  if (reinterpret_cast<size_t>(p) % alignment) kernelset::note_misaligned(static_cast<const char*>(p));
}
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
