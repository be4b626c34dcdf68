// What is wrong with a run, kept in memory that its parent shares: whatever ends the run, the findings stay.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <unistd.h>

KS_RUNTIME_BEGIN
namespace kernelset {

enum class Kind : unsigned {
  none,
  divergent_barrier,  // lanes of a warp wait at different barriers
  divergent_warp,     // lanes that an operation names wait elsewhere
  inactive_lane,      // a value was taken from a lane that takes no part
  excluded_caller,    // a lane calls with a mask that leaves it out
  spin_wait,          // a thread tries again and again until another lets it: lanes in lockstep would never end
  early_exit,         // threads ended before a barrier that others wait at: allowed, and worth knowing
  deadlock,
  out_of_bounds,
  uninitialised_read,
  race,               // a thread reads what another writes, with nothing between
  overwrite,          // several threads write one place, with nothing between: harmless where they write the same
  unordered_read,     // of shared memory that an atomic of another warp changes next: harmless where nothing depends on it
  divide_by_zero,
  assertion,
  trap,
  fault,
  stack_overflow,
  integer_overflow,   // of signed numbers; this and what follows by sanitised programs only
  shift,              // by more bits than there are, or by fewer than none
  array_bounds,       // an index outside an array of the kernel's own or of shared memory
  float_cast,         // a number that its integer type does not hold: devices disagree
  misaligned,
  unsupported,
  timeout,
  count
};
static const char* const kind_names[] = {
    "none",          "divergent-barrier", "divergent-warp",     "inactive-lane", "excluded-caller", "spin-wait",
    "early-exit",    "deadlock",      "out-of-bounds",     "uninitialised-read", "race",          "overwrite",     "unordered-read", "divide-by-zero",  "assertion",
    "trap",          "fault",             "stack-overflow",     "integer-overflow", "shift",      "array-bounds",   "float-cast",
    "misaligned",    "unsupported",       "timeout"};
static_assert(sizeof(kind_names) / sizeof(*kind_names) == unsigned(Kind::count));

struct Finding {
  unsigned long long times;
  uint3 block, thread;
  unsigned line;     // of the unit, where it is known
  int buffer;        // -1: none, -2: shared memory
  long long offset;  // bytes from the buffer's start
  int value;         // a signal's number, the number of threads
};
struct Extent {
  long long read_first, read_end, write_first, write_end;
  unsigned read_sizes, write_sizes;  // a bit for each size in bytes: 1 << log2
  unsigned atomic, exposed;          // whether atomics touch it; whether something is read before it is written
  unsigned long long bytes_read, bytes_written;  // each byte once, of those read only where nobody wrote them before
};
constexpr int most_buffers = 64;
struct Report {
  Finding findings[unsigned(Kind::count)];
  Extent extents[most_buffers];
  unsigned long long blocks_done;
  long long nanoseconds;  // of the processor, for the grid alone
  int finished;
};
KS_STATE Report* report;

KS_PART void find(Kind kind, unsigned line = 0, int buffer = -1, long long offset = 0, int value = 0);
KS_PART void keep_counts();
// what is called before a finding ends the process
KS_STATE void (*before_end)();
[[noreturn]] KS_PART void end_run() {
  if (before_end) before_end();
  keep_counts();
  _exit(3);
}
[[noreturn]] KS_PART void find_and_end(Kind kind, unsigned line = 0, int value = 0) {
  find(kind, line, -1, 0, value);
  end_run();
}

}  // namespace kernelset
KS_RUNTIME_END
