// ---- the numbers that buffers hold, and which of them are as good as others

namespace test {

enum Type { BOOL, I8, U8, I16, U16, I32, U32, I64, U64, HALF, BFLOAT16, FLOAT, DOUBLE, E4M3, E5M2, E4M3FNUZ, E5M2FNUZ };
static size_t size_of(Type type) {
  static const size_t sizes[] = {1, 1, 1, 2, 2, 4, 4, 8, 8, 2, 2, 4, 8, 1, 1, 1, 1};
  return sizes[type];
}

template <class T>
static T loaded(const unsigned char* from) {
  T value;
  memcpy(&value, from, sizeof(value));
  return value;
}
static double small_float(unsigned bits, int exponent_bits, int mantissa_bits, int bias) {
  const int exponent = int(bits >> mantissa_bits) & ((1 << exponent_bits) - 1);
  const double fraction = double(bits & ((1u << mantissa_bits) - 1)) / (1 << mantissa_bits) + (exponent ? 1 : 0);
  const double size = std::ldexp(fraction, (exponent ? exponent : 1) - bias);
  return bits >> (exponent_bits + mantissa_bits) ? -size : size;
}
static double ieee_float(unsigned bits, int exponent_bits, int mantissa_bits) {
  const unsigned top = (1u << exponent_bits) - 1;
  if ((bits >> mantissa_bits & top) != top) return small_float(bits, exponent_bits, mantissa_bits, (1 << (exponent_bits - 1)) - 1);
  if (bits & ((1u << mantissa_bits) - 1)) return NAN;
  return bits >> (exponent_bits + mantissa_bits) ? -INFINITY : INFINITY;
}
static double value_of(Type type, const unsigned char* from) {
  switch (type) {
    case I8: return loaded<int8_t>(from);
    case I16: return loaded<int16_t>(from);
    case U16: return loaded<uint16_t>(from);
    case I32: return loaded<int32_t>(from);
    case U32: return loaded<uint32_t>(from);
    case I64: return double(loaded<int64_t>(from));
    case U64: return double(loaded<uint64_t>(from));
    case HALF: return ieee_float(loaded<uint16_t>(from), 5, 10);
    case BFLOAT16: return ieee_float(loaded<uint16_t>(from), 8, 7);
    case FLOAT: return double(loaded<float>(from));
    case DOUBLE: return loaded<double>(from);
    case E4M3: return (*from & 0x7f) == 0x7f ? NAN : small_float(*from, 4, 3, 7);
    case E5M2: return ieee_float(*from, 5, 2);
    case E4M3FNUZ: return *from == 0x80 ? NAN : small_float(*from, 4, 3, 8);
    case E5M2FNUZ: return *from == 0x80 ? NAN : small_float(*from, 5, 2, 16);
    default: return *from;
  }
}
// |x - gold| <= absolute + relative * |gold| is right; with neither, what is equal is
static bool is_right(Type type, double absolute, double relative, const unsigned char* gold, const unsigned char* got) {
  if (!memcmp(gold, got, size_of(type))) return true;
  const double want = value_of(type, gold), have = value_of(type, got);
  if (std::isnan(want) || std::isnan(have)) return std::isnan(want) && std::isnan(have);
  if (std::isinf(want) || std::isinf(have)) return want == have;
  if (type == I64 || type == U64) return absolute > 0 && std::fabs(want - have) <= absolute;
  return want == have || std::fabs(want - have) <= absolute + (relative > 0 ? relative * std::fabs(want) : 0);
}

}  // namespace test
