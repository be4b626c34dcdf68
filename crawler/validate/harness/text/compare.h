// ---- what a case is, and whether its outputs are right

namespace test {

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
      if (!is_right(buffer.type, buffer.absolute, buffer.relative, gold.data() + at, after.data() + at)) return told(buffer, at / size, gold.data(), after.data(), "");
      at += size - 1;
    } else if (gold[at] != after[at]) {
      return told(buffer, at / size, gold.data(), after.data(), ", where the kernel never writes");
    }
  }
  return "";
}

}  // namespace test
