// The cases of a kernel, as they stand in judge/NAME.cases, and the bytes of their buffers, in judge/NAME.bytes.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "values.h"

namespace test {

using Bytes = std::vector<unsigned char>;
constexpr size_t guard = 256;  // bytes on each side of a buffer, which nobody may change

// Nothing was judged: a file, a compiler or a reference is not what it ought to be.
struct Unfit : std::runtime_error {
  using std::runtime_error::runtime_error;
};
struct Link {  // at `at` stands the address of buffer `buffer` and `offset` bytes; null where `buffer` is -1
  size_t at;
  long long buffer, offset;
};
struct Buffer {
  std::string name;
  Type type;
  int lanes;
  size_t size;
  bool has_content, has_gold;
  Bytes content;  // before the launch; 0xFF throughout where there is none
  Bytes gold;     // afterwards
  size_t written_begin, written_end;
  double absolute, relative;
  std::vector<Link> links;
  // what a kernel leaves there may be different in each run
  bool is_free() const { return !has_gold && written_begin < written_end; }
};
struct Argument {
  Bytes bytes;
  std::vector<Link> links;
};
struct Case {
  std::string name;
  long long kernel;
  long long grid[3], block[3];
  long long shared;  // bytes of dynamic shared memory
  std::vector<Buffer> buffers;
  std::vector<Argument> arguments;
};
struct Suite {
  std::string runner;    // file of the program that runs one case
  std::string checksum;  // of the reference's source, by `checksum_of`
  std::string language;  // cuda or hip
  std::string standard;  // 17, of C++
  std::vector<std::string> headers;  // folders under include/, in their order
  std::vector<Case> cases;
};

// FNV-1a of 64 bits: against a mistake, not against anybody
static std::string checksum_of(const std::string& text) {
  uint64_t sum = 0xcbf29ce484222325ull;
  for (char c : text) sum = (sum ^ (unsigned char)c) * 0x100000001b3ull;
  return std::to_string(sum);
}

class CaseReader {
 public:
  CaseReader(const std::string& folder, const std::string& name)
      : text_(folder + "/" + name + ".cases"), path_(folder + "/" + name + ".cases") {
    std::ifstream bytes(folder + "/" + name + ".bytes", std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(bytes), {});
  }
  Suite read() {
    Suite suite;
    expect("kernelset-cases");
    expect("1");
    suite.runner = word_of("runner");
    suite.checksum = word_of("checksum");
    suite.language = word_of("language");
    suite.standard = word_of("standard");
    expect("headers");
    for (size_t left = count(64); left; --left) suite.headers.push_back(word());
    expect("bytes");
    if (count(SIZE_MAX) != bytes_.size()) fail("the bytes beside it are not those of these cases");
    expect("cases");
    const size_t cases = count(1 << 16);
    if (!cases) fail("there are no cases");
    for (size_t left = cases; left; --left) suite.cases.push_back(read_case());
    expect("end");
    return suite;
  }

 private:
  [[noreturn]] void fail(const std::string& why) { throw Unfit(path_ + ": " + why + "; export the tests again"); }
  std::string word() {
    std::string found;
    if (!(text_ >> found)) fail("it is missing, or ends too early");
    return found;
  }
  void expect(const std::string& wanted) {
    const std::string found = word();
    if (found != wanted) fail("\"" + found + "\" stands where \"" + wanted + "\" ought to");
  }
  std::string word_of(const std::string& key) {
    expect(key);
    return word();
  }
  long long number() {
    const std::string digits = word();
    char* end = nullptr;
    const long long value = std::strtoll(digits.c_str(), &end, 10);
    if (*end) fail("\"" + digits + "\" is no number");
    return value;
  }
  double real() { return std::strtod(word().c_str(), nullptr); }
  size_t count(size_t most) {
    const long long value = number();
    if (value < 0 || size_t(value) > most) fail("a count that cannot be");
    return size_t(value);
  }
  Type type() {
    static const char* const names[] = {"BOOL", "I8",   "U8",       "I16",   "U16",    "I32",  "U32",  "I64",     "U64",
                                        "HALF", "BFLOAT16", "FLOAT", "DOUBLE", "E4M3", "E5M2", "E4M3FNUZ", "E5M2FNUZ"};
    const std::string name = word();
    const auto found = std::find(std::begin(names), std::end(names), name);
    if (found == std::end(names)) fail("there is no type " + name);
    return Type(found - std::begin(names));
  }
  // two numbers: where it begins among the bytes, and how many; -1 for nothing
  Bytes stored(bool& there) {
    const long long at = number();
    const size_t size = count(bytes_.size());
    there = at >= 0;
    if (!there) return {};
    if (size_t(at) > bytes_.size() - size) fail("bytes that are not there");
    return Bytes(bytes_.begin() + at, bytes_.begin() + at + long(size));
  }
  std::vector<Link> links(size_t room, size_t buffers) {
    std::vector<Link> all(count(room / sizeof(void*)));
    for (Link& link : all) {
      expect("link");
      link.at = count(room - sizeof(void*));
      link.buffer = number();
      link.offset = number();
      if (link.buffer < -1 || link.buffer >= (long long)buffers) fail("a pointer to nowhere");
    }
    return all;
  }
  Buffer read_buffer(size_t buffers) {
    Buffer buffer;
    expect("buffer");
    buffer.name = word();
    buffer.type = type();
    buffer.lanes = int(std::max<size_t>(1, count(1 << 16)));
    buffer.size = count(size_t(1) << 40);
    buffer.content = stored(buffer.has_content);
    buffer.gold = stored(buffer.has_gold);
    buffer.written_begin = count(buffer.size);
    buffer.written_end = count(buffer.size);
    buffer.absolute = real();
    buffer.relative = real();
    buffer.links = links(buffer.size, buffers);
    return buffer;
  }
  Argument read_argument(size_t buffers) {
    Argument argument;
    expect("argument");
    const std::string digits = word();
    for (size_t at = 0; digits != "-" && at + 1 < digits.size(); at += 2) {
      argument.bytes.push_back((unsigned char)std::stoi(digits.substr(at, 2), nullptr, 16));
    }
    argument.links = links(argument.bytes.size(), buffers);
    return argument;
  }
  Case read_case() {
    Case one;
    one.name = word_of("case");
    one.kernel = number();
    for (long long& extent : one.grid) extent = number();
    for (long long& extent : one.block) extent = number();
    one.shared = number();
    const size_t buffers = count(256), arguments = count(256);
    for (size_t at = 0; at < buffers; ++at) one.buffers.push_back(read_buffer(buffers));
    for (size_t at = 0; at < arguments; ++at) one.arguments.push_back(read_argument(buffers));
    return one;
  }

  std::ifstream text_;
  std::string path_;
  Bytes bytes_;
};

}  // namespace test
