// Where a traced address lies: in an allocation of the program, or in the memory of a block.
#pragma once

KS_RUNTIME_BEGIN
namespace kernelset {

constexpr size_t most_static = 16 << 20;
static Shadows region_shadows;
static bool is_in_kernel;
static std::vector<int> written_allocations;  // by the running launch

// of a byte of the region, by its place there
static Shadow& shadow_at(const char* address) {
  const size_t into = static_cast<size_t>(address - region);
  Shadow& whole = region_shadows.granules[into / granule];
  return whole.is_split ? region_shadows.bytes[into] : whole;
}
// what is known of memory that was given back, and where that knowledge was kept
static void forget(const Allocation& own) {
  if (!region_shadows.granules) return;
  const size_t from = static_cast<size_t>(own.base - region), bytes = round_up(own.size, page);
  // margins are wide enough for whole pages
  const auto drop = [](char* place, size_t length) { madvise(place - reinterpret_cast<size_t>(place) % page, length + page, MADV_DONTNEED); };
  drop(reinterpret_cast<char*>(region_shadows.granules + from / granule), bytes / granule * sizeof(Shadow));
  drop(reinterpret_cast<char*>(region_shadows.bytes + from), bytes * sizeof(Shadow));
}
static bool find_place(const char* address, Place& place) {
  if (!is_in_kernel) return false;
  const int number = allocation_at(address);
  if (number < 0) return placed_in_block(address, place);
  place = {region_shadows, static_cast<size_t>(address - region), number, address - allocations()[number].base, 0};
  return true;
}
static void note_extent(const Place& place, size_t size, bool write) {
  Allocation& own = allocations()[place.buffer];
  const long long end = place.offset + static_cast<long long>(size);
  if (own.is_freed || place.offset < 0 || end > static_cast<long long>(own.size)) {
    find(Kind::out_of_bounds, 0, place.buffer, place.offset < 0 ? place.offset : end - 1);
    return;
  }
  own.is_touched = true;
  if (!write) return;
  const size_t from = static_cast<size_t>(place.offset), to = static_cast<size_t>(end);
  if (own.write_first == own.write_end) {
    own.write_first = from, own.write_end = to;
    written_allocations.push_back(place.buffer);
  }
  own.write_first = std::min(own.write_first, from);
  own.write_end = std::max(own.write_end, to);
}
static void count_read(const Shadow&, const Place&) {}
static void count_written(const Shadow&, const Place&) {}
static void note_exposed(const Place& place) {
  if (place.buffer < 0) return find_at(Kind::uninitialised_read, place);
  const Allocation& own = allocations()[place.buffer];
  const size_t at = static_cast<size_t>(place.offset);
  if (place.offset < 0 || at >= own.size || own.host_writes.holds(at)) return;
  find(Kind::uninitialised_read, 0, place.buffer, place.offset);
}
static void note_atomic_extent(const Place& place, size_t size) { note_extent(place, size, true); }
static void begin_trace(size_t blocks) {
  if (!region_shadows.granules) region_shadows = sparse_shadows(region_bytes);
  if (!static_shadows.granules) static_shadows = sparse_shadows(most_static);
  if (static_count() > most_static) find_and_end(Kind::unsupported);
  if (!dynamic_shadows.granules) dynamic_shadows = sparse_shadows(most_dynamic);
  if (published_epochs) free(published_epochs);
  published_epochs = static_cast<unsigned*>(calloc(blocks + 1, sizeof(unsigned)));
  if (!published_epochs) find_and_end(Kind::unsupported);
  // whatever earlier launches did comes before this one
  open_grid();
}

}  // namespace kernelset
KS_RUNTIME_END
