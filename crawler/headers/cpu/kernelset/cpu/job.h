// The text that says what to run: one word and its values a line. Its author is our own driver.
//   stack KIB                     of each thread from here on
//   mutant NUMBER                 of the change that is made to the kernel from here on; 0: none
//   fill BYTE                     what shared memory holds before anybody writes there, from here on
//   launch ENTRY GX GY GZ BX BY BZ SHARED ORDER SEED SECONDS
//   buffer BYTES AT     its content stands AT that place of the inputs; -1: it has none
//   link BUFFER AT TARGET BY      the pointer at AT within a buffer is TARGET's begin and BY bytes
//   argument HEXADECIMAL
//   patch ARGUMENT AT TARGET BY   the same within an argument
//   go                            run it, and add its buffers to the outputs
#pragma once
#include <stdio.h>

KS_RUNTIME_BEGIN
KS_SELDOM_BEGIN
namespace kernelset {

constexpr size_t most_argument_bytes = 1 << 16;
constexpr size_t most_shared_bytes = 1 << 20;

struct Job {
  FILE *text, *inputs, *outputs, *report;
  Launch launch;
  double seconds;
  int argument_count;
};

[[noreturn]] static void refuse(const char* why) {
  fprintf(stderr, "%s\n", why);
  exit(2);
}
static void read_stack(Job& job) {
  if (fscanf(job.text, "%zu", &stack_bytes) != 1 || stack_bytes < 8 || stack_bytes > 4096) refuse("a stack has 8 to 4096 KiB");
  stack_bytes <<= 10;
}
static void read_mutant(Job& job) {
  if (fscanf(job.text, "%u", &mutant) != 1) refuse("a mutant has a number");
}
static void read_fill(Job& job) {
  if (fscanf(job.text, "%d", &shared_fill) != 1) refuse("memory is filled with a byte");
  inactive_value = shared_fill ? ~0ull : 0;
}
static void read_launch(Job& job, const Entry* const* entries, unsigned entry_count) {
  unsigned entry, order;
  Launch& launch = job.launch;
  const int found = fscanf(job.text, "%u %u %u %u %u %u %u %zu %u %llu %lf", &entry, &launch.grid.x, &launch.grid.y,
                           &launch.grid.z, &launch.block.x, &launch.block.y, &launch.block.z, &launch.shared_bytes, &order,
                           &launch.seed, &job.seconds);
  const size_t threads = size_t(launch.block.x) * launch.block.y * launch.block.z;
  if (found != 11 || entry >= entry_count || !entries[entry] || order > 2) refuse("a launch that is none");
  if (!threads || threads > most_threads) refuse("a block has 1 to 1024 threads");
  if (launch.shared_bytes > most_shared_bytes) refuse("a block has 1 MiB of shared memory at most");
  launch.entry = entries[entry];
  launch.order = static_cast<Order>(order);
  job.argument_count = 0;
}
static void read_buffer(Job& job) {
  long long from;
  if (buffer_count == most_buffers) refuse("there are 64 buffers at most");
  Buffer& buffer = buffers[buffer_count];
  if (fscanf(job.text, "%zu %lld", &buffer.size, &from) != 2) refuse("a buffer that is none");
  if (!place_buffer(buffer)) refuse("there is no memory for a buffer");
  buffer.initialised = from >= 0;
  ++buffer_count;
  if (from < 0) return;
  fseeko(job.inputs, from, SEEK_SET);
  if (fread(buffer.base, 1, buffer.size, job.inputs) != buffer.size) refuse("the inputs are too short");
}
static void read_link(Job& job, bool argument) {
  int which, target;
  size_t at;
  long long by;
  if (fscanf(job.text, "%d %zu %d %lld", &which, &at, &target, &by) != 4) refuse("a pointer that is none");
  const int held = argument ? job.argument_count : buffer_count;
  if (which < 0 || which >= held || target < -1 || target >= buffer_count) refuse("a pointer to nowhere");
  if (at + sizeof(void*) > (argument ? most_argument_bytes : buffers[which].size)) refuse("a pointer outside its owner");
  char* place = argument ? static_cast<char*>(arguments[which]) : buffers[which].base;
  const char* meant = target < 0 ? nullptr : buffers[target].base + by;
  memcpy(place + at, &meant, sizeof(meant));
}
static void read_argument(Job& job) {
  static char digits[2 * most_argument_bytes + 1];
  if (job.argument_count == 256 || fscanf(job.text, "%131072s", digits) != 1) refuse("an argument that is none");
  unsigned char* bytes = static_cast<unsigned char*>(aligned_alloc(64, most_argument_bytes));
  unsigned value;
  size_t count = 0;
  while (sscanf(digits + 2 * count, "%2x", &value) == 1) bytes[count++] = static_cast<unsigned char>(value);
  arguments[job.argument_count++] = bytes;
}

}  // namespace kernelset
KS_SELDOM_END
KS_RUNTIME_END
