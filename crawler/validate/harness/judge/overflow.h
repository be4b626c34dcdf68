// Which outputs say nothing: those that the reference itself makes infinite or a NaN out of large numbers, as 3e38 * 2 - 1e38
// becomes infinite in two steps and 5e38 - 3e38 is finite in one.
#pragma once
#include "rounding.h"

namespace test {

constexpr int strained_runs = 64;  // a sum of four overflows in one of sixteen ways

// Beyond it and below its inverse a number is extreme: products of three others stay finite, and so do sums of these. Of
// numbers of 16 bits with five of exponent, which are mostly added up in wider ones, it is products of one.
static double extreme_of(Type type) {
  switch (type) {
    case FLOAT: case BFLOAT16: return std::ldexp(1, 32);
    case DOUBLE: return std::ldexp(1, 256);
    case HALF: return std::ldexp(1, 8);
    default: return 0;
  }
}
static bool is_extreme(Type type, double value) {
  const double most = extreme_of(type), size = std::fabs(value);
  return size > most || std::isnan(value) || (size > 0 && size < 1 / most);
}
// bits that a narrower format lacks are cut off: nothing becomes larger by it
static void store(Type type, double value, unsigned char* to) {
  const auto put = [to](auto bits) { memcpy(to, &bits, sizeof(bits)); };
  if (type == DOUBLE) return put(value);
  const float narrow = float(value);
  uint32_t bits;
  memcpy(&bits, &narrow, sizeof(bits));
  if (type == FLOAT) return put(bits);
  if (type == BFLOAT16) return put(uint16_t(bits >> 16));
  const int exponent = int(bits >> 23 & 0xff) - 127 + 15;
  // what has fewer digits than the others stays as it is
  if (exponent > 0) put(uint16_t((bits >> 16 & 0x8000) | unsigned(exponent) << 10 | (bits >> 13 & 0x3ff)));
}
template <class Change>
static Case with_extremes(Case one, Change change) {
  for (Buffer& buffer : one.buffers) {
    const size_t size = size_of(buffer.type);
    if (extreme_of(buffer.type) == 0 || !buffer.links.empty()) continue;
    for (size_t at = 0; at + size <= buffer.content.size(); at += size) {
      const double value = value_of(buffer.type, buffer.content.data() + at);
      if (!is_extreme(buffer.type, value)) continue;
      const double changed = change(value);
      if (std::isfinite(changed)) store(buffer.type, changed, buffer.content.data() + at);
    }
  }
  return one;
}
static bool has_extremes(const Case& one) {
  bool found = false;
  with_extremes(one, [&](double value) { return found = true, value; });
  return found;
}
// The same case with extreme numbers nearer to 1: each by a power, so that products are smaller, or some of them at 1 and
// the others as they were, since what another order adds up first is a sum of some. What is infinite or a NaN stays.
static Case strained(const Case& one, bool by_power, Draw& draw) {
  return with_extremes(one, [&](double value) {
    if (!std::isfinite(value)) return value;
    if (by_power) return std::copysign(std::pow(std::fabs(value), draw.share()), value);
    return draw.below(2) ? value : std::copysign(1, value);
  });
}
// the same case without extreme numbers
static Case tamed(const Case& one, Draw& draw) {
  return with_extremes(one, [&](double value) { return std::copysign(1 + draw.share(), value); });
}

enum class Kind { finite, nan, above, below };
static Kind kind_of(double value) {
  if (std::isfinite(value)) return Kind::finite;
  return std::isnan(value) ? Kind::nan : value > 0 ? Kind::above : Kind::below;
}

// Outputs of the reference that are finite in one run and not in another, or not finite in another way.
class Overflows {
 public:
  Overflows(const Case& one, const Images& expected, const std::vector<Images>& outputs)
      : one_(one), expected_(expected), outputs_(outputs) {}

  // `after` as if it were right wherever it or the reference is not finite
  Images without_infinite(const Images& after) const {
    return settled(after, [](const Buffer&, size_t, size_t) { return true; });
  }
  // the same where that says nothing
  Images without_overflows(const Images& after) const {
    return settled(after, [this](const Buffer& buffer, size_t number, size_t at) { return says_nothing(buffer, number, at); });
  }
  // whether at least half of what is written is finite in all runs, and so was compared
  bool leave_half() const {
    size_t written = 0, finite = 0;
    each_written([&](const Buffer& buffer, size_t number, size_t at) {
      ++written;
      finite += kind_at(buffer, expected_[number], at) == Kind::finite && !says_nothing(buffer, number, at);
    });
    return 2 * finite >= written;
  }

 private:
  template <class Choice>
  Images settled(Images after, Choice is_chosen) const {
    each_written([&](const Buffer& buffer, size_t number, size_t at) {
      const bool is_finite = kind_at(buffer, expected_[number], at) == Kind::finite && kind_at(buffer, after[number], at) == Kind::finite;
      if (is_finite || !is_chosen(buffer, number, at)) return;
      std::copy_n(expected_[number].begin() + long(at), size_of(buffer.type), after[number].begin() + long(at));
    });
    return after;
  }
  static Kind kind_at(const Buffer& buffer, const Bytes& image, size_t at) { return kind_of(value_of(buffer.type, image.data() + at)); }
  bool says_nothing(const Buffer& buffer, size_t number, size_t at) const {
    const Kind kind = kind_at(buffer, expected_[number], at);
    for (const Images& output : outputs_) {
      if (kind_at(buffer, output[number], at) != kind) return true;
    }
    return false;
  }
  template <class Visit>
  void each_written(Visit visit) const {
    for (size_t number = 0; number < one_.buffers.size(); ++number) {
      const Buffer& buffer = one_.buffers[number];
      const size_t size = size_of(buffer.type);
      if (buffer.is_free() || !buffer.links.empty()) continue;
      for (size_t at = buffer.written_begin; at + size <= buffer.written_end; ++at) {
        // elements lie where they do from the beginning of the buffer
        if (at % size == 0) visit(buffer, number, guard + at);
      }
    }
  }

  const Case& one_;
  const Images& expected_;
  const std::vector<Images>& outputs_;
};

}  // namespace test
