// What a program's launches did, a line a fact, written at once: whatever ends the program, the log stays.
//   instance NUMBER KERNEL [T = float]       an instantiation of a template, before its first launch
//   launch NUMBER KERNEL GX GY GZ BX BY BZ SHARED INSTANCE
//   finding KIND TIMES BX BY BZ TX TY TZ LINE ALLOCATION OFFSET VALUE BYTES
//   wrote NUMBER DIGEST OVERWRITTEN BYTES    digests of what it wrote, and of that what several threads wrote
//   end NUMBER FINISHED NANOSECONDS
//   unwritten COUNT                          bytes that nobody wrote were copied to the host
//   refused NAME                             a call that is not supported
//   missing PATH                             a file that it wanted to read is not there
//   timeout                                  the program has had its time
//   test NUMBER                              launches from here on are those of a test
//   failed CODE                              a call that a device would refuse
#pragma once

KS_RUNTIME_BEGIN
KS_SELDOM_BEGIN
namespace kernelset {

static FILE* launch_log() {
  static FILE* log = nullptr;
  if (log) return log;
  const char* path = getenv("KERNELSET_LOG");
  // not by `fopen`, which programs have of us
  const int descriptor = open(path ? path : "/dev/null", O_WRONLY | O_CREAT | O_APPEND, 0644);
  log = descriptor < 0 ? nullptr : fdopen(descriptor, "a");
  if (!log) _exit(2);
  return log;
}

static Report launch_report;
static int entered_instance;  // 0: of no template
static unsigned long long launches_begun;
static int running_test;  // 0: outside of any

static void log_launch() {
  fprintf(launch_log(), "launch %llu %d %u %u %u %u %u %u %zu %d\n", launches_begun, entered_kernel, gridDim.x, gridDim.y,
          gridDim.z, blockDim.x, blockDim.y, blockDim.z, dynamic_bytes, entered_instance);
}
static size_t size_of_buffer(int buffer) {
  if (buffer == -2) return dynamic_bytes;
  return buffer < 0 ? 0 : allocations()[buffer].size;
}
static void log_findings() {
  for (unsigned kind = 1; kind < unsigned(Kind::count); ++kind) {
    const Finding& finding = launch_report.findings[kind];
    if (!finding.times) continue;
    fprintf(launch_log(), "finding %s %llu %u %u %u %u %u %u %u %d %lld %d %zu\n", kind_names[kind], finding.times,
            finding.block.x, finding.block.y, finding.block.z, finding.thread.x, finding.thread.y, finding.thread.z, finding.line,
            finding.buffer, finding.offset, finding.value, size_of_buffer(finding.buffer));
  }
}

// FNV-1a. Rule: IETF draft-eastlake-fnv.
constexpr unsigned long long digest_begin = 0xcbf29ce484222325ull, digest_prime = 0x100000001b3ull;
static void add_to_digest(unsigned long long& digest, unsigned char byte) { digest = (digest ^ byte) * digest_prime; }

static void log_contents(unsigned began) {
  unsigned long long written_digest = digest_begin, overwritten_digest = digest_begin, bytes = 0;
#ifdef KERNELSET_TRACE
  // in the order of their addresses, whichever was written first
  std::sort(written_allocations.begin(), written_allocations.end());
  for (const int number : written_allocations) {
    Allocation& own = allocations()[number];
    for (size_t at = own.write_first; at < own.write_end; ++at) {
      const Shadow& shadow = shadow_at(own.base + at);
      if (!shadow.written || shadow.written_at < began) continue;
      ++bytes;
      add_to_digest(written_digest, static_cast<unsigned char>(own.base[at]));
      if (shadow.overwritten) add_to_digest(overwritten_digest, static_cast<unsigned char>(own.base[at]));
    }
    for (size_t at = own.write_first; at < own.write_end; ++at) shadow_at(own.base + at).overwritten = 0;
    own.write_first = own.write_end = 0;
  }
  written_allocations.clear();
#endif
  fprintf(launch_log(), "wrote %llu %016llx %016llx %llu\n", launches_begun, written_digest, overwritten_digest, bytes);
}
static long long launch_began;  // nanoseconds of the processor
static void log_end() {
  const long long nanoseconds = processor_time() - launch_began;
  fprintf(launch_log(), "end %llu %d %lld\n", launches_begun, launch_report.finished, nanoseconds);
  fflush(launch_log());
}

// Of the host's own code no finding says that an `assert` failed: it is said as the C library says it.
static void tell_host_assertion() {
  const Finding& failed = launch_report.findings[unsigned(Kind::assertion)];
  if (failed.times) fprintf(stderr, "Assertion failed in line %u of the host's code.\n", failed.line);
}
// what ends a run in the midst of a launch
KS_PART void keep_counts() {
  if (!is_in_kernel) return tell_host_assertion();
  log_launch();
  log_findings();
  log_end();
}

}  // namespace kernelset
KS_SELDOM_END
KS_RUNTIME_END
