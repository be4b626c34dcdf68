
// ---- one case, as the judge sends it: numbers are of 64 bits, and memory comes as it is to lie before the launch

namespace test {

struct Link {  // at `at` stands the address of buffer `buffer` and `offset` bytes; null where `buffer` is -1
  size_t at;
  long long buffer, offset;
};
struct Memory {
  std::vector<long double> room;  // aligned for whatever type an argument has
  size_t size;
  std::vector<Link> links;
  char* bytes() { return reinterpret_cast<char*>((reinterpret_cast<uintptr_t>(room.data()) + 31) / 32 * 32); }
};

[[noreturn]] static void refuse(const char* why) {
  fprintf(stderr, "%s\n", why);
  exit(2);
}
static void take(void* to, size_t size) {
  if (fread(to, 1, size, stdin) != size) refuse("the case ends too early");
}
static long long number() {
  long long value;
  take(&value, sizeof(value));
  return value;
}
static dim3 extent() {
  const unsigned x = unsigned(number()), y = unsigned(number()), z = unsigned(number());
  return dim3(x, y, z);
}
static Memory memory() {
  Memory taken;
  taken.size = size_t(number());
  taken.room.resize(taken.size / sizeof(long double) + 4);
  take(taken.bytes(), taken.size);
  for (long long left = number(); left > 0; --left) {
    const size_t at = size_t(number());
    const long long buffer = number(), offset = number();
    taken.links.push_back({at, buffer, offset});
  }
  return taken;
}
static void point(Memory& owner, const std::vector<char*>& places) {
  for (const Link& link : owner.links) {
    const char* meant = link.buffer < 0 ? nullptr : places[size_t(link.buffer)] + link.offset;
    memcpy(owner.bytes() + link.at, &meant, sizeof(meant));
  }
}
// Reads a case from the standard input, runs it, and writes its buffers as they are then to the descriptor 3.
static int serve(const Kernel* kernels) {
  if (const char* problem = device_problem()) refuse(problem);
  const Kernel kernel = kernels[number()];
  const dim3 grid = extent(), block = extent();
  const size_t shared = size_t(number());
  std::vector<Memory> buffers, values;
  for (long long left = number(); left > 0; --left) buffers.push_back(memory());
  for (long long left = number(); left > 0; --left) values.push_back(memory());

  std::vector<char*> places;
  for (Memory& buffer : buffers) places.push_back(static_cast<char*>(reserve(buffer.size)));
  for (size_t at = 0; at < places.size(); ++at) {
    point(buffers[at], places);
    copy_in(places[at], buffers[at].bytes(), buffers[at].size);
  }
  std::vector<void*> arguments;
  for (Memory& value : values) {
    point(value, places);
    arguments.push_back(value.bytes());
  }
  const std::string wrong = launch(kernel, grid, block, shared, arguments);
  if (!wrong.empty()) refuse(wrong.c_str());

  FILE* images = fdopen(3, "wb");
  if (!images) refuse("nobody waits for what comes out");
  for (size_t at = 0; at < places.size(); ++at) {
    copy_out(buffers[at].bytes(), places[at], buffers[at].size);
    if (fwrite(buffers[at].bytes(), 1, buffers[at].size, images) != buffers[at].size) refuse("what comes out is not taken");
  }
#ifdef KERNELSET_STEPS
  if (fwrite(&kernelset::steps, 1, sizeof(kernelset::steps), images) != sizeof(kernelset::steps)) refuse("nobody counts");
#endif
  return fclose(images) ? 2 : 0;
}

}  // namespace test
