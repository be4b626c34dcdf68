// Memory that a program asks its device for. All of it lies in one range of addresses, each allocation between wide
// margins, so that whatever a kernel touches tells whose margin it is in. Addresses are given again only when the range is
// used up, those first that have been free for longest.
#pragma once
#include <sys/mman.h>
#include <algorithm>
#include <deque>
#include <map>
#include <vector>

#include <kernelset/cpu/rubbish.h>

KS_RUNTIME_BEGIN
KS_SELDOM_BEGIN
namespace kernelset {

enum class MemoryKind { device, managed, pinned, caller };

// bytes that the host wrote, as ranges that neither touch nor overlap: begin to end
class HostWrites {
 public:
  void add(size_t begin, size_t end) {
    if (begin >= end) return;
    auto next = ranges_.upper_bound(begin);
    if (next != ranges_.begin() && std::prev(next)->second >= begin) {
      --next;
      begin = next->first;
      end = std::max(end, next->second);
      next = ranges_.erase(next);
    }
    while (next != ranges_.end() && next->first <= end) {
      end = std::max(end, next->second);
      next = ranges_.erase(next);
    }
    ranges_[begin] = end;
  }
  bool holds(size_t at) const {
    auto next = ranges_.upper_bound(at);
    return next != ranges_.begin() && std::prev(next)->second > at;
  }
  bool covers(size_t begin, size_t end) const {
    auto next = ranges_.upper_bound(begin);
    return next != ranges_.begin() && std::prev(next)->second >= end;
  }

 private:
  std::map<size_t, size_t> ranges_;
};

struct Allocation {
  char* base;
  size_t size;
  char *first, *end;  // with its margins
  MemoryKind kind;
  bool is_freed, is_touched;  // the second: a kernel read or wrote something of it
  HostWrites host_writes;
  size_t write_first, write_end;  // of the running launch, within the allocation
};

constexpr size_t region_bytes = size_t(64) << 30;
constexpr size_t page = 4096;
constexpr size_t least_margin = 64 << 10, most_margin = 16 << 20;
// a fixed place: pointers in memory have to be the same in each run, or runs could not be compared
static char* const region = reinterpret_cast<char*>(0x100000000000);
static std::vector<Allocation>& allocations() {
  static std::vector<Allocation>* all = new std::vector<Allocation>();  // it must outlive every destructor
  return *all;
}
static unsigned* page_owners;  // of each page of the region: an allocation's number plus one
static size_t region_used;
static unsigned char memory_fill = 0xff;

static bool open_region() {
  if (page_owners) return true;
  const int how = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void* place = mmap(region, region_bytes, PROT_READ | PROT_WRITE, how | MAP_FIXED_NOREPLACE, -1, 0);
  if (place != region) return false;
  const size_t table_bytes = region_bytes / page * sizeof(unsigned);
  void* table = mmap(nullptr, table_bytes, PROT_READ | PROT_WRITE, how, -1, 0);
  if (table == MAP_FAILED) return false;
  page_owners = static_cast<unsigned*>(table);
  return true;
}
// allocations that were given back, by their bytes with their margins
static std::map<size_t, std::deque<int>>& freed_allocations() {
  static auto* by_size = new std::map<size_t, std::deque<int>>();
  return *by_size;
}
// null where none that was given back is large enough
static Allocation* take_freed(size_t whole) {
  const auto smallest = freed_allocations().lower_bound(whole);
  if (smallest == freed_allocations().end()) return nullptr;
  Allocation* own = &allocations()[smallest->second.front()];
  smallest->second.pop_front();
  if (smallest->second.empty()) freed_allocations().erase(smallest);
  return own;
}
static size_t round_up(size_t bytes, size_t step) { return (bytes + step - 1) / step * step; }

// null where there is no room; a device's memory ends, too
static void* allocate(size_t bytes, MemoryKind kind) {
  if (!open_region() || bytes > region_bytes) return nullptr;
  const size_t margin = round_up(std::min(std::max(bytes, least_margin), most_margin), page);
  const size_t body = round_up(bytes, page), whole = margin + body + margin;
  if (region_used + whole > region_bytes) {
    Allocation* own = take_freed(whole);
    if (!own) return nullptr;
    *own = {own->base, bytes, own->first, own->end, kind, false, false, {}, 0, 0};
    if (memory_fill) fill_bytes(own->base, bytes, memory_fill);
    return own->base;
  }
  char* first = region + region_used;
  region_used += whole;
  const unsigned owner = static_cast<unsigned>(allocations().size() + 1);
  for (size_t at = 0; at < whole / page; ++at) page_owners[(first - region) / page + at] = owner;
  allocations().push_back({first + margin, bytes, first, first + whole, kind, false, false, {}, 0, 0});
  // pages of zeros cost nothing until they are written
  if (memory_fill) fill_bytes(first + margin, bytes, memory_fill);
  return first + margin;
}
static int allocation_at(const void* place) {
  const size_t into = static_cast<size_t>(static_cast<const char*>(place) - region);
  if (!page_owners || into >= region_bytes) return -1;
  const unsigned owner = page_owners[into / page];
  return static_cast<int>(owner || !is_tail_owned ? owner : allocations().size()) - 1;
}
static int buffer_at(const char* place) { return allocation_at(place); }
static char* buffer_base(int number) { return allocations()[number].base; }
static bool release(void* place) {
  const int number = allocation_at(place);
  if (number < 0) return false;
  Allocation& own = allocations()[number];
  if (own.base != place || own.is_freed) return false;
  own.is_freed = true;
  freed_allocations()[static_cast<size_t>(own.end - own.first)].push_back(number);
  madvise(own.base, round_up(own.size, page), MADV_DONTNEED);
  return true;
}

}  // namespace kernelset
KS_SELDOM_END
KS_RUNTIME_END
