// Inputs that no file holds: those of a case that is shown, with other contents, drawn when the test runs.
#pragma once
#include "cases.h"

namespace test {

class Draw {  // splitmix64
 public:
  explicit Draw(uint64_t seed) : state_(seed) {}
  uint64_t bits() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
  }
  size_t below(size_t most) { return size_t(bits() % most); }
  double share() { return double(bits() >> 11) / 9007199254740992.0; }

 private:
  uint64_t state_;
};

// what stands in ascending order, such as the beginnings of rows, means something by it
static bool is_ascending(const Buffer& buffer, size_t count) {
  const size_t size = size_of(buffer.type);
  for (size_t at = 1; at < count; ++at) {
    const unsigned char* here = buffer.content.data() + at * size;
    if (!(value_of(buffer.type, here - size) <= value_of(buffer.type, here))) return false;
  }
  return true;
}
static void shuffle(Bytes& content, size_t count, size_t size, Draw& draw) {
  for (size_t left = count; left > 1; --left) {
    std::swap_ranges(content.begin() + long((left - 1) * size), content.begin() + long(left * size),
                     content.begin() + long(draw.below(left) * size));
  }
}
// Each number becomes one between two of the `pool`, or one of them: what is a probability stays one, and what is often 0
// is so again.
template <class T>
static void mix(Bytes& content, const Bytes& pool, Draw& draw) {
  const size_t known = pool.size() / sizeof(T);
  for (size_t at = 0; at + sizeof(T) <= content.size(); at += sizeof(T)) {
    const T one = loaded<T>(pool.data() + draw.below(known) * sizeof(T));
    const T other = loaded<T>(pool.data() + draw.below(known) * sizeof(T));
    const double share = std::max(0.0, draw.share() * 4 / 3 - 1.0 / 3);
    const T mixed = T(double(one) * (1 - share) + double(other) * share);
    memcpy(content.data() + at, std::isfinite(mixed) ? &mixed : &one, sizeof(T));
  }
}
constexpr size_t least_pool = 8;  // numbers: of fewer, all that is drawn would lie close to them
// what the numbers of a buffer are drawn from: its own, or those that it has in the largest case
static Bytes pool_for(const std::vector<Case>& cases, const Case& one, size_t number) {
  const Bytes* pool = &one.buffers[number].content;
  if (pool->size() >= least_pool * size_of(one.buffers[number].type)) return *pool;
  for (const Case& other : cases) {
    if (other.buffers.size() != one.buffers.size() || other.buffers[number].type != one.buffers[number].type) continue;
    if (other.buffers[number].content.size() > pool->size()) pool = &other.buffers[number].content;
  }
  return *pool;
}
// Rule: numbers stay between those that a case shows. Integers, which may be indices, and floats of fewer than 32 bits
// keep their values and change their places; pointers and what is in ascending order stay.
static void draw_content(Buffer& buffer, const Bytes& pool, Draw& draw) {
  if (!buffer.has_content) {
    buffer.has_content = true;
    buffer.content.resize(buffer.size);
    for (unsigned char& byte : buffer.content) byte = (unsigned char)draw.bits();
    return;
  }
  const size_t size = size_of(buffer.type), count = buffer.content.size() / size;
  if (!buffer.links.empty() || pool.size() < size) return;
  if (buffer.type == FLOAT) return mix<float>(buffer.content, pool, draw);
  if (buffer.type == DOUBLE) return mix<double>(buffer.content, pool, draw);
  const bool is_integer = buffer.type <= U64;
  if (!is_integer || !is_ascending(buffer, count)) shuffle(buffer.content, count, size, draw);
}

// a case with contents that are drawn for each of its buffers
static Case fresh_case(const std::vector<Case>& cases, size_t number, Draw& draw) {
  Case fresh = cases[number];
  for (size_t at = 0; at < fresh.buffers.size(); ++at) draw_content(fresh.buffers[at], pool_for(cases, cases[number], at), draw);
  return fresh;
}

// The one argument that says how much there is to do: the only integer that is not the same in all cases; -1 where there
// is none, or several, which would have to agree with each other.
class Size {
 public:
  explicit Size(const std::vector<Case>& cases) {
    for (size_t at = 0; at < cases[0].arguments.size(); ++at) {
      if (!is_size(cases, at)) continue;
      position_ = position_ == none ? at : several;
    }
    if (is_known()) for (const Case& one : cases) least_ = std::min(least_, value(one));
  }
  bool is_known() const { return position_ < several; }
  bool has_smaller(const Case& one) const { return is_known() && value(one) > least_ + 1; }
  void draw_smaller(Case& one, Draw& draw) const {
    const long long drawn = least_ + 1 + (long long)draw.below(size_t(value(one) - least_ - 1));
    Bytes& bytes = one.arguments[position_].bytes;
    memcpy(bytes.data(), &drawn, bytes.size());
  }

 private:
  static constexpr size_t none = SIZE_MAX, several = SIZE_MAX - 1;
  static constexpr long long most = 1 << 24;  // as bits, no float that anybody passes is as small
  static long long value_at(const Case& one, size_t at) {
    if (at >= one.arguments.size() || !one.arguments[at].links.empty()) return -1;
    const Bytes& bytes = one.arguments[at].bytes;
    if (bytes.size() != 4 && bytes.size() != 8) return -1;
    return bytes.size() == 4 ? loaded<int32_t>(bytes.data()) : loaded<int64_t>(bytes.data());
  }
  static bool is_size(const std::vector<Case>& cases, size_t at) {
    bool differs = false;
    for (const Case& one : cases) {
      const long long value = value_at(one, at);
      if (value < 0 || value > most) return false;
      differs = differs || value != value_at(cases[0], at);
    }
    return differs;
  }
  long long value(const Case& one) const { return value_at(one, position_); }

  size_t position_ = none;
  long long least_ = most;
};

}  // namespace test
