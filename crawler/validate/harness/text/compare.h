// ---- what a case is, and whether its outputs are right

namespace test {

enum Type { BOOL, I8, U8, I16, U16, I32, U32, I64, U64, HALF, BFLOAT16, FLOAT, DOUBLE, E4M3, E5M2, E4M3FNUZ, E5M2FNUZ };
static size_t size_of(Type type) {
  static const size_t sizes[] = {1, 1, 1, 2, 2, 4, 4, 8, 8, 2, 2, 4, 8, 1, 1, 1, 1};
  return sizes[type];
}

struct Bytes {
  const void* data;
  size_t size;
};
struct Link {  // at `at` stands the address of buffer `buffer` and `offset` bytes; null where `buffer` is -1
  size_t at;
  int buffer;
  long long offset;
};
struct Buffer {
  const char* name;
  Type type;
  int lanes;
  size_t size;
  Bytes content;  // before the launch; 0xFF throughout where there is none
  Bytes gold;     // afterwards
  size_t written_begin, written_end;
  double absolute, relative;  // |x - gold| <= absolute + relative * |gold| is right
  std::vector<Link> links;
};
struct Argument {
  Bytes bytes;
  std::vector<Link> links;
};
struct Case {
  const char* name;
  Kernel kernel;
  dim3 grid, block;
  size_t shared;  // bytes of dynamic shared memory
  std::vector<Buffer> buffers;
  std::vector<Argument> arguments;
};

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
static bool is_right(const Buffer& buffer, const unsigned char* gold, const unsigned char* got) {
  if (!memcmp(gold, got, size_of(buffer.type))) return true;
  const double want = value_of(buffer.type, gold), have = value_of(buffer.type, got);
  if (std::isnan(want) || std::isnan(have)) return std::isnan(want) && std::isnan(have);
  if (std::isinf(want) || std::isinf(have)) return want == have;
  if (buffer.type == I64 || buffer.type == U64) return buffer.absolute > 0 && std::fabs(want - have) <= buffer.absolute;
  return want == have || std::fabs(want - have) <= buffer.absolute + (buffer.relative > 0 ? buffer.relative * std::fabs(want) : 0);
}
static std::string told(const Buffer& buffer, size_t number, const unsigned char* gold, const unsigned char* got, const char* why) {
  char text[256];
  const size_t at = number * size_of(buffer.type);
  snprintf(text, sizeof(text), "%s[%zu] is %.9g where %.9g is expected%s", buffer.name, number / size_t(buffer.lanes),
           value_of(buffer.type, got + at), value_of(buffer.type, gold + at), why);
  return text;
}
static std::string compared(const Buffer& buffer, const std::vector<unsigned char>& before, const std::vector<unsigned char>& after) {
  // what is written and has no gold is different in each run
  if (!buffer.gold.data && buffer.written_begin < buffer.written_end) return "";
  std::vector<unsigned char> gold = before;
  if (buffer.gold.data) memcpy(gold.data(), buffer.gold.data, std::min(buffer.gold.size, gold.size()));
  for (const Link& link : buffer.links) memcpy(gold.data() + link.at, after.data() + link.at, sizeof(void*));
  const size_t size = size_of(buffer.type);
  for (size_t at = 0; at < buffer.size; ++at) {
    const bool written = at >= buffer.written_begin && at < buffer.written_end;
    if (written && at + size <= buffer.size && at % size == 0) {
      if (!is_right(buffer, gold.data() + at, after.data() + at)) return told(buffer, at / size, gold.data(), after.data(), "");
      at += size - 1;
    } else if (gold[at] != after[at]) {
      return told(buffer, at / size, gold.data(), after.data(), ", where the kernel never writes");
    }
  }
  return "";
}

}  // namespace test
