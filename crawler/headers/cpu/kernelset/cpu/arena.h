// The memory that a kernel's pointers mean. Checked runs put each buffer between guards; traced runs give each one the
// middle of a wide and empty range, so that whatever a kernel touches shows how large its buffers must be.
#pragma once
#include <sys/mman.h>

KS_RUNTIME_BEGIN
namespace kernelset {

struct Buffer {
  char* base;
  size_t size;  // bytes that are its own
  char* mapping;
  size_t mapped;
  bool initialised;
};
static Buffer buffers[most_buffers];
static int buffer_count;
constexpr size_t page = 4096;
// a float of these is a signalling NaN: whoever reads it shows it, and whoever adds to it changes it
constexpr unsigned char guard_bytes[] = {0xa5, 0xff};

// to ask for each page when it is touched takes longer than to have them all
static void populate(char* begin, size_t bytes) {
#ifdef MADV_POPULATE_WRITE
  madvise(begin, bytes, MADV_POPULATE_WRITE);
#endif
}
#ifdef KERNELSET_TRACE
constexpr size_t arena_bytes = size_t(8) << 30;
constexpr size_t arena_stride = 4 * arena_bytes;  // an index of 32 bits that went wrong lands in none
static char* arenas;

static bool make_arenas() {
  const int how = MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE;
  void* place = mmap(nullptr, arena_stride * most_buffers, PROT_NONE, how, -1, 0);
  arenas = place == MAP_FAILED ? nullptr : static_cast<char*>(place);
  return arenas;
}
static bool place_buffer(Buffer& buffer) {
  if (!arenas && !make_arenas()) return false;
  buffer.mapped = arena_bytes;
  buffer.mapping = arenas + arena_stride * static_cast<size_t>(buffer_count) + (arena_stride - arena_bytes) / 2;
  buffer.base = buffer.mapping + arena_bytes / 2;
  if (buffer.size > arena_bytes / 2 || mprotect(buffer.mapping, arena_bytes, PROT_READ | PROT_WRITE)) return false;
  if (buffer.size) populate(buffer.base, buffer.size);
  return true;
}
#else
// [no access][guard][the buffer, to the end of its last 16 bytes][no access]
static bool place_buffer(Buffer& buffer) {
  const size_t own = (buffer.size + 15) / 16 * 16, body = (own + page - 1) / page * page + page;
  buffer.mapped = body + 2 * page;
  void* place = mmap(nullptr, buffer.mapped, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (place == MAP_FAILED) return false;
  buffer.mapping = static_cast<char*>(place);
  buffer.base = buffer.mapping + page + body - own;
  for (char* at = buffer.mapping; at < buffer.mapping + buffer.mapped; at += sizeof(guard_bytes)) {
    memcpy(at, guard_bytes, sizeof(guard_bytes));
  }
  memset(buffer.base, 0xff, buffer.size);
  mprotect(buffer.mapping, page, PROT_NONE);
  mprotect(buffer.mapping + page + body, page, PROT_NONE);
  return true;
}
static void look_for_change(int number, const char* from, const char* to) {
  for (const char* at = from; at < to; ++at) {
    const size_t into = static_cast<size_t>(at - buffers[number].mapping);
    if (static_cast<unsigned char>(*at) != guard_bytes[into % sizeof(guard_bytes)]) return find(Kind::out_of_bounds, 0, number, at - buffers[number].base);
  }
}
#endif
// a forked process has the pages, but has to ask for each: once for all is cheaper
static void claim_pages() {
  for (int number = 0; number < buffer_count; ++number) {
    const Buffer& buffer = buffers[number];
#ifdef KERNELSET_TRACE
    if (buffer.size) populate(buffer.base, buffer.size);
#else
    populate(buffer.mapping + page, buffer.mapped - 2 * page);
#endif
  }
}
static void check_guards() {
#ifndef KERNELSET_TRACE
  for (int number = 0; number < buffer_count; ++number) {
    const Buffer& buffer = buffers[number];
    look_for_change(number, buffer.mapping + page, buffer.base);
    look_for_change(number, buffer.base + buffer.size, buffer.mapping + buffer.mapped - page);
  }
#endif
}
static void drop_buffers() {
#ifdef KERNELSET_TRACE
  if (arenas) munmap(arenas, arena_stride * most_buffers);
  arenas = nullptr;
#else
  for (int number = 0; number < buffer_count; ++number) munmap(buffers[number].mapping, buffers[number].mapped);
#endif
  buffer_count = 0;
}
// the buffer whose range an address lies in, guards included; -1 for none
static int buffer_at(const char* place) {
  for (int number = 0; number < buffer_count; ++number) {
    const Buffer& buffer = buffers[number];
    if (place >= buffer.mapping && place < buffer.mapping + buffer.mapped) return number;
  }
  return -1;
}
static char* buffer_base(int number) { return buffers[number].base; }

// dynamic shared memory ends where nothing may be touched
static bool place_dynamic_shared(size_t bytes) {
  const size_t own = (bytes + 15) / 16 * 16, body = (own + page - 1) / page * page;
  void* place = mmap(nullptr, body + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (place == MAP_FAILED) return false;
  mprotect(static_cast<char*>(place) + body, page, PROT_NONE);
  dynamic_shared = static_cast<char*>(place) + body - own;
  dynamic_bytes = bytes;
  return true;
}

}  // namespace kernelset
KS_RUNTIME_END
