// ---- how a case is run

namespace test {

constexpr size_t guard = 256;  // bytes on each side of a buffer, which nobody may change

// what nobody has written: a NaN; on each side one that changes when something is added to it
static unsigned char guard_byte(const Buffer& buffer, size_t at) {
  return at < guard || at >= guard + buffer.size ? (at % 2 ? 0xff : 0xa5) : 0xff;
}

static std::vector<unsigned char> image(const Buffer& buffer, const std::vector<char*>& places) {
  std::vector<unsigned char> bytes(buffer.size + 2 * guard);
  for (size_t at = 0; at < bytes.size(); ++at) bytes[at] = guard_byte(buffer, at);
  if (buffer.content.data) memcpy(bytes.data() + guard, buffer.content.data, std::min(buffer.content.size, buffer.size));
  for (const Link& link : buffer.links) {
    const char* meant = link.buffer < 0 ? nullptr : places[size_t(link.buffer)] + guard + link.offset;
    memcpy(bytes.data() + guard + link.at, &meant, sizeof(meant));
  }
  return bytes;
}
static std::string checked(const Buffer& buffer, const std::vector<unsigned char>& before, const char* place) {
  std::vector<unsigned char> after(before.size());
  copy_out(after.data(), place, after.size());
  for (size_t at = 0; at < after.size(); ++at) {
    const bool outside = at < guard || at >= guard + buffer.size;
    if (outside && after[at] != guard_byte(buffer, at)) return std::string(buffer.name) + ": something was written outside it";
  }
  const auto own = [&](const std::vector<unsigned char>& all) {
    return std::vector<unsigned char>(all.begin() + guard, all.begin() + guard + long(buffer.size));
  };
  return compared(buffer, own(before), own(after));
}
// empty where every output is right, else what is wrong
static std::string run(const Case& one) {
  std::vector<char*> places;
  for (const Buffer& buffer : one.buffers) places.push_back(static_cast<char*>(reserve(buffer.size + 2 * guard)));
  std::vector<std::vector<unsigned char>> before;
  for (const Buffer& buffer : one.buffers) {
    before.push_back(image(buffer, places));
    copy_in(places[before.size() - 1], before.back().data(), before.back().size());
  }
  std::vector<std::vector<long double>> values;  // aligned for whatever type an argument has
  std::vector<void*> arguments;
  for (const Argument& argument : one.arguments) {
    values.emplace_back(argument.bytes.size / sizeof(long double) + 4);
    char* value = reinterpret_cast<char*>((reinterpret_cast<uintptr_t>(values.back().data()) + 31) / 32 * 32);
    memcpy(value, argument.bytes.data, argument.bytes.size);
    for (const Link& link : argument.links) {
      const char* meant = link.buffer < 0 ? nullptr : places[size_t(link.buffer)] + guard + link.offset;
      memcpy(value + link.at, &meant, sizeof(meant));
    }
    arguments.push_back(value);
  }
  std::string wrong = launch(one.kernel, one.grid, one.block, one.shared, arguments);
  for (size_t at = 0; at < places.size() && wrong.empty(); ++at) wrong = checked(one.buffers[at], before[at], places[at]);
  for (char* place : places) release(place);
  return wrong;
}

}  // namespace test
