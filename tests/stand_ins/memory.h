// The memory of a device: what is given back is given out again as it was left.
#pragma once
#include <stdint.h>
#include <sys/mman.h>

#include <map>

class DeviceMemory {
 public:
  explicit DeviceMemory(size_t total) : total_(total) {
    void* place = mmap(nullptr, reserved, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    base_ = place == MAP_FAILED ? nullptr : static_cast<char*>(place);
  }
  void* allocate(size_t size) {
    const size_t room = (size + 255) / 256 * 256;
    if (!base_ || room > free_bytes()) return nullptr;
    char* place = reused(room);
    if (!place) {
      if (next_ + room > reserved) return nullptr;
      place = base_ + next_;
      next_ += room;
    }
    held_[place] = room;
    used_ += room;
    return place;
  }
  bool free(void* place) {
    const auto found = held_.find(static_cast<char*>(place));
    if (found == held_.end()) return false;
    used_ -= found->second;
    given_back_.insert({found->second, found->first});
    held_.erase(found);
    return true;
  }
  // whether a range lies in one allocation
  bool holds(const void* place, size_t size) const {
    auto after = held_.upper_bound(const_cast<char*>(static_cast<const char*>(place)));
    if (after == held_.begin()) return false;
    --after;
    return static_cast<const char*>(place) + size <= after->first + after->second;
  }
  size_t free_bytes() const { return total_ - used_; }
  size_t total() const { return total_; }

 private:
  static constexpr size_t reserved = size_t(16) << 30;
  char* reused(size_t room) {
    const auto found = given_back_.find(room);
    if (found == given_back_.end()) return nullptr;
    char* place = found->second;
    given_back_.erase(found);
    return place;
  }
  size_t total_, used_ = 0, next_ = 4096;
  char* base_ = nullptr;
  std::map<char*, size_t> held_;
  std::multimap<size_t, char*> given_back_;
};
