// How far the outputs of another algorithm may lie from those of the reference: as far as its own outputs move when its
// inputs are rounded otherwise.
#pragma once
#include "fresh.h"
#include "images.h"

namespace test {

constexpr int rounded_runs = 8;
constexpr double rounding_factor = 16, largest_magnitude = 1e6;

// the largest relative error of one rounding; 0 for whole numbers
static double unit_roundoff(Type type) {
  switch (type) {
    case FLOAT: return std::ldexp(1, -24);
    case DOUBLE: return std::ldexp(1, -53);
    case HALF: return std::ldexp(1, -11);
    case BFLOAT16: return std::ldexp(1, -8);
    case E4M3: case E4M3FNUZ: return std::ldexp(1, -4);
    case E5M2: case E5M2FNUZ: return std::ldexp(1, -3);
    default: return 0;
  }
}
template <class T>
static void round_otherwise(Bytes& content, double unit, Draw& draw) {
  for (size_t at = 0; at + sizeof(T) <= content.size(); at += sizeof(T)) {
    const T value = loaded<T>(content.data() + at), moved = T(double(value) * (1 + unit * (4 * draw.share() - 2)));
    if (std::isfinite(moved)) memcpy(content.data() + at, &moved, sizeof(moved));
  }
}
// the same case with numbers one rounding away; what is narrower than 32 bits is mostly added up in more, and stays
static Case rounded(Case one, Draw& draw) {
  for (Buffer& buffer : one.buffers) {
    if (buffer.type == FLOAT) round_otherwise<float>(buffer.content, unit_roundoff(FLOAT), draw);
    // a double that is moved by less than its own rounding would stay
    if (buffer.type == DOUBLE) round_otherwise<double>(buffer.content, 2 * unit_roundoff(DOUBLE), draw);
  }
  return one;
}
static bool is_number(const Buffer& buffer, size_t at) {
  return at >= buffer.written_begin && at < buffer.written_end && unit_roundoff(buffer.type) > 0;
}
static double largest_of(const Buffer& buffer, const Bytes& image) {
  double largest = 0;
  for (size_t at = 0; at + size_of(buffer.type) <= buffer.size; at += size_of(buffer.type)) {
    const double value = std::fabs(value_of(buffer.type, image.data() + guard + at));
    if (is_number(buffer, at) && value <= largest_magnitude) largest = std::max(largest, value);
  }
  return largest;
}
static double largest_move(const Buffer& buffer, const Bytes& image, const Bytes& other) {
  double largest = 0;
  for (size_t at = 0; at + size_of(buffer.type) <= buffer.size; at += size_of(buffer.type)) {
    if (!is_number(buffer, at)) continue;
    const double move = value_of(buffer.type, image.data() + guard + at) - value_of(buffer.type, other.data() + guard + at);
    if (std::isfinite(move)) largest = std::max(largest, std::fabs(move));
  }
  return largest;
}
// The case with wider tolerances. `outputs` are those of the reference for `rounded` inputs. What jumps, as where a number
// is rounded down to a whole one, has moved by more than half of its digits, and widens nothing beyond them.
static Case widened(Case one, const Images& expected, const std::vector<Images>& outputs) {
  for (size_t number = 0; number < one.buffers.size(); ++number) {
    Buffer& buffer = one.buffers[number];
    const double unit = unit_roundoff(buffer.type), largest = largest_of(buffer, expected[number]);
    // one or two roundings to a narrow type are all that its outputs have behind them
    const double factor = size_of(buffer.type) < 4 ? 2 : rounding_factor;
    double move = 0;
    for (const Images& output : outputs) move = std::max(move, largest_move(buffer, expected[number], output[number]));
    const double most = std::max(std::sqrt(unit) * largest, factor * unit * largest);
    buffer.absolute = std::max(buffer.absolute, std::min(factor * (unit * largest + move), most));
    buffer.relative = std::max(buffer.relative, factor * unit);
  }
  return one;
}

}  // namespace test
