// Where a traced address lies: in a buffer of the launch, or in the memory of a block; and how far each buffer is touched.
#pragma once

KS_RUNTIME_BEGIN
namespace kernelset {

static Shadows shadows[most_buffers];

KS_SELDOM_BEGIN
constexpr size_t huge_page = 2 << 20, most_huge_pages = 128;
// What a run will likely touch is there before it: to ask for each page takes longer than the run. Much of it has huge
// pages, of which only those come that are touched.
static void prepare(const Shadows& place, size_t from, size_t bytes) {
  char* first = reinterpret_cast<char*>(place.granules + from / granule);
  const size_t length = granules_of(bytes) * sizeof(Shadow);
  const bool is_much = length > huge_page;
  char* begin = first - reinterpret_cast<size_t>(first) % (is_much ? huge_page : page);
  const size_t whole = static_cast<size_t>(first - begin) + length;
  if (!is_much) populate(begin, whole);
  else if (length <= most_huge_pages * huge_page) madvise(begin, whole, MADV_HUGEPAGE);
}
static void begin_trace(size_t blocks) {
  for (int number = 0; number < buffer_count; ++number) {
    const Buffer& buffer = buffers[number];
    shadows[number] = sparse_shadows(arena_bytes);
    prepare(shadows[number], static_cast<size_t>(buffer.base - buffer.mapping), buffer.size);
  }
  static_shadows = sparse_shadows(static_cast<size_t>(statics_end - static_begin()));
  dynamic_shadows = sparse_shadows(dynamic_bytes);
  published_epochs = static_cast<unsigned*>(sparse((blocks + 1) * sizeof(unsigned)));
}
KS_SELDOM_END
static bool find_place(const char* address, Place& place) {
  const size_t number = static_cast<size_t>(address - arenas) / arena_stride;
  if (number >= static_cast<size_t>(buffer_count)) return placed_in_block(address, place);
  const Buffer& buffer = buffers[number];
  if (address < buffer.mapping || address >= buffer.mapping + buffer.mapped) return false;
  place = {shadows[number], static_cast<size_t>(address - buffer.mapping), static_cast<int>(number), address - buffer.base, 0};
  return true;
}
static void stretch(long long& first, long long& end, long long from, long long to) {
  if (first == end) first = from, end = to;
  if (from < first) first = from;
  if (to > end) end = to;
}
// bytes beside a buffer, and of it: whoever goes further was led astray, and soon wants all memory that there is
constexpr long long most_astray = 128 << 20;
constexpr unsigned long long most_touched = 32 << 20;
static void note_extent(const Place& place, size_t size, bool write) {
  Extent& extent = report->extents[place.buffer];
  const long long end = place.offset + static_cast<long long>(size);
  const unsigned width = size <= 16 && !(size & (size - 1)) ? unsigned(size) : 0;
  if (write) {
    stretch(extent.write_first, extent.write_end, place.offset, end);
    extent.write_sizes |= width;
  } else {
    stretch(extent.read_first, extent.read_end, place.offset, end);
    extent.read_sizes |= width;
  }
  const Buffer& buffer = buffers[place.buffer];
  if (buffer.size && (place.offset < 0 || end > static_cast<long long>(buffer.size))) {
    find(Kind::out_of_bounds, 0, place.buffer, place.offset < 0 ? place.offset : end - 1);
    if (place.offset < -most_astray || end > static_cast<long long>(buffer.size) + most_astray) end_run();
  }
}
static void count(unsigned long long& bytes, const Place& place) {
  bytes += place.bytes;
  if (bytes > most_touched) end_run();
}
// what has to come from memory, however often it is read; a byte that the kernel wrote itself need not
static void count_read(const Shadow& shadow, const Place& place) {
  if (place.buffer >= 0 && !shadow.written && !shadow.reader) count(report->extents[place.buffer].bytes_read, place);
}
static void count_written(const Shadow& shadow, const Place& place) {
  if (place.buffer >= 0 && !shadow.written) count(report->extents[place.buffer].bytes_written, place);
}
static void note_exposed(const Place& place) {
  if (place.buffer < 0) find_at(Kind::uninitialised_read, place);
  else report->extents[place.buffer].exposed = 1;
}
static void note_atomic_extent(const Place& place, size_t size) {
  note_extent(place, size, false);
  note_extent(place, size, true);
  report->extents[place.buffer].atomic = 1;
}

}  // namespace kernelset
KS_RUNTIME_END
