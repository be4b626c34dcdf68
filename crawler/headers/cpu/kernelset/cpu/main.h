// The program that a unit becomes: each launch runs in a process of its own, so that it can end only itself.
#pragma once
// what a unit is asked of its constants; one of none at least, since no array is empty
#ifndef KERNELSET_CONSTANTS
#define KERNELSET_CONSTANTS -1
#endif
#if defined(KERNELSET_PART) && KERNELSET_PART == 1
#include <kernelset/cpu/make.h>
#define KERNELSET_PROGRAM(...)                                          \
  const kernelset::Entry* const kernelset_entries[] = {__VA_ARGS__};    \
  const unsigned kernelset_entry_count = sizeof(kernelset_entries) / sizeof(*kernelset_entries); \
  const long long kernelset_constants[] = {KERNELSET_CONSTANTS};        \
  const unsigned kernelset_constant_count = sizeof(kernelset_constants) / sizeof(*kernelset_constants);
#else
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <sys/wait.h>

#include <kernelset/cpu/arena.h>

#include <kernelset/cpu/trace.h>

#include <kernelset/cpu/trace_atomics.h>

#include <kernelset/cpu/counts.h>

#include <kernelset/cpu/undefined.h>

#include <kernelset/cpu/faults.h>

#include <kernelset/cpu/launch.h>

#include <kernelset/cpu/make.h>

#include <kernelset/cpu/job.h>

KS_RUNTIME_BEGIN
KS_SELDOM_BEGIN
namespace kernelset {

static Kind kind_of_fault(int number, const char* place, int& buffer) {
  if (number == SIGFPE) return Kind::divide_by_zero;
  if (number == SIGILL || number == SIGTRAP) return Kind::trap;
  if (number == SIGABRT) return Kind::assertion;
  if (is_in_stack_guard(place)) return Kind::stack_overflow;
  buffer = buffer_at(place);
  if (buffer >= 0) return Kind::out_of_bounds;
  const bool by_shared = static_cast<size_t>(place - dynamic_shared) < dynamic_bytes + 2 * page;
  if (by_shared) buffer = -2;
  return by_shared ? Kind::out_of_bounds : Kind::fault;
}
static void on_fault(int number, siginfo_t* about, void*) {
  int buffer = -1;
  const char* place = static_cast<const char*>(about->si_addr);
  const Kind kind = kind_of_fault(number, place, buffer);
  const char* from = buffer >= 0 ? buffers[buffer].base : buffer == -2 ? dynamic_shared : nullptr;
  find(kind, 0, buffer, kind == Kind::out_of_bounds ? place - from : 0, number);
  end_run();
}
static void set_timer(int which, double seconds, long again) {
  itimerval when = {};
  when.it_value.tv_sec = static_cast<time_t>(seconds);
  when.it_value.tv_usec = static_cast<suseconds_t>((seconds - static_cast<double>(when.it_value.tv_sec)) * 1e6);
  when.it_interval.tv_usec = seconds > 0 ? again : 0;
  setitimer(which, &when, nullptr);
}
// where a launch makes its structures: they are told when it has ended
static char* made;
static size_t made_bytes;
static void place_made_objects(const Entry& entry) {
  made_bytes = 0;
  for (unsigned which = 0; which < entry.making_count; ++which) made_bytes += room_of(entry.makings[which].size);
  if (!made_bytes) return;
  void* place = mmap(nullptr, made_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (place == MAP_FAILED) refuse("there is no memory for a structure");
  made = static_cast<char*>(place);
}
static void drop_made_objects() {
  if (made) munmap(made, made_bytes);
  made = nullptr;
}
extern "C" KS_HIDDEN char __executable_start, _end;
static bool is_own(const char* place) { return place >= &__executable_start && place < &_end; }

[[noreturn]] static void run_alone(const Launch& launch, double seconds) {
  watch_faults(on_fault);
  set_timer(ITIMER_PROF, seconds, 0);
  if (!place_dynamic_shared(launch.shared_bytes)) find_and_end(Kind::unsupported);
  claim_pages();
#ifdef KERNELSET_TRACE
  begin_trace(size_t(launch.grid.x) * launch.grid.y * launch.grid.z);
#endif
  if (launch.entry->make) launch.entry->make(made);
  run_grid(launch);
  check_guards();
  fflush(stdout);
  keep_counts();
  _exit(0);
}

// a run has its seconds of the processor; by the clock it may take longer, since others may need the processor too
constexpr double patience = 8;
static void wake(int) {}
static int wait_for(pid_t child, double seconds) {
  struct sigaction action = {};
  action.sa_handler = wake;
  sigaction(SIGALRM, &action, nullptr);
  int status = 0;
  set_timer(ITIMER_REAL, seconds * patience, 100000);
  if (waitpid(child, &status, 0) < 0) {
    kill(child, SIGKILL);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    find(Kind::timeout);
  }
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF) find(Kind::timeout);
  set_timer(ITIMER_REAL, 0, 0);
  return status;
}
static void tell(Job& job, int status) {
  fprintf(job.report, "run %d %d %d %llu %lld\n", WIFSIGNALED(status) ? WTERMSIG(status) : 0,
          WIFEXITED(status) ? WEXITSTATUS(status) : -1, report->finished, report->blocks_done, report->nanoseconds);
  for (unsigned kind = 1; kind < unsigned(Kind::count); ++kind) {
    const Finding& found = report->findings[kind];
    if (!found.times) continue;
    fprintf(job.report, "finding %s %llu %u %u %u %u %u %u %u %d %lld %d\n", kind_names[kind], found.times, found.block.x,
            found.block.y, found.block.z, found.thread.x, found.thread.y, found.thread.z, found.line, found.buffer,
            found.offset, found.value);
  }
#ifdef KERNELSET_TRACE
  for (int number = 0; number < buffer_count; ++number) {
    const Extent& extent = report->extents[number];
    fprintf(job.report, "extent %d %lld %lld %lld %lld %u %u %u %u %llu %llu\n", number, extent.read_first, extent.read_end,
            extent.write_first, extent.write_end, extent.read_sizes, extent.write_sizes, extent.atomic, extent.exposed,
            extent.bytes_read, extent.bytes_written);
  }
#endif
  write_counts(job.report);
}
// A structure as its constructor made it: where it points into a buffer, the buffer and the place are told. Any other
// address is of this process alone, such as that of a table of virtual functions, and is told as null.
static void write_made_objects(FILE* report, const Launch& launch) {
  char* place = made;
  for (unsigned which = 0; which < launch.entry->making_count; ++which) {
    const size_t size = launch.entry->makings[which].size;
    if (!size) continue;
    for (size_t at = 0; at + sizeof(void*) <= size; at += sizeof(void*)) {
      char* to;
      memcpy(&to, place + at, sizeof(to));
      const int buffer = buffer_at(to);
      if (buffer >= 0) fprintf(report, "made-pointer %u %zu %d %lld\n", which, at, buffer, (long long)(to - buffers[buffer].base));
      if (buffer >= 0 || is_own(to)) memset(place + at, 0, sizeof(to));
    }
    fprintf(report, "made %u ", which);
    for (size_t at = 0; at < size; ++at) fprintf(report, "%02x", static_cast<unsigned char>(place[at]));
    fprintf(report, "\n");
    place += room_of(size);
  }
}
static void run_launch(Job& job) {
#ifdef KERNELSET_SOIL
  ++soil_round;
#endif
  if (job.argument_count != int(job.launch.entry->count)) refuse("a kernel wants as many arguments as it has parameters");
  memset(report, 0, sizeof(*report));
  place_made_objects(*job.launch.entry);
  fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) refuse("no process can be started");
  if (child == 0) {
    for (FILE* file : {job.text, job.inputs, job.outputs, job.report}) close(fileno(file));
    run_alone(job.launch, job.seconds);
  }
  const int status = wait_for(child, job.seconds);
  tell(job, status);
  if (made) write_made_objects(job.report, job.launch);
  for (int number = 0; number < buffer_count; ++number) fwrite(buffers[number].base, 1, buffers[number].size, job.outputs);
  drop_buffers();
  drop_made_objects();
  for (int at = 0; at < job.argument_count; ++at) free(arguments[at]);
}

static int run_job(Job& job, const Entry* const* entries, unsigned count) {
  if (!job.text || !job.inputs || !job.outputs || !job.report) refuse("a file of the job cannot be opened");
  report = static_cast<Report*>(
      mmap(nullptr, sizeof(Report), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  make_counts();
  char word[16];
  while (fscanf(job.text, "%15s", word) == 1) {
    if (!strcmp(word, "stack")) read_stack(job);
    else if (!strcmp(word, "mutant")) read_mutant(job);
    else if (!strcmp(word, "fill")) read_fill(job);
    else if (!strcmp(word, "launch")) read_launch(job, entries, count);
    else if (!strcmp(word, "buffer")) read_buffer(job);
    else if (!strcmp(word, "link")) read_link(job, false);
    else if (!strcmp(word, "argument")) read_argument(job);
    else if (!strcmp(word, "patch")) read_link(job, true);
    else if (!strcmp(word, "go")) run_launch(job);
    else refuse("a word that is none of a job's");
  }
  return fflush(nullptr) ? 2 : 0;
}
struct Unit {
  const Entry* const* entries;
  unsigned count;
  const long long* constants;
  unsigned constant_count;
};
static int describe(const Unit& unit) {
  for (unsigned at = 0; at < unit.constant_count; ++at) printf("constant %u %lld\n", at, unit.constants[at]);
  const Entry* const* const entries = unit.entries;
  const unsigned count = unit.count;
  for (unsigned at = 0; at < count; ++at) {
    printf("entry %u\n", at);
    if (!entries[at]) continue;
    for (unsigned which = 0; which < entries[at]->count; ++which) {
      const Parameter& p = entries[at]->parameters[which];
      printf("parameter %c %u %u %c %u %d %s\n", p.kind, p.size, p.align, p.pointee ? p.pointee : '-', p.pointee_size,
             p.pointee_const, p.type);
      entries[at]->members[which]();
    }
    for (unsigned which = 0; which < entries[at]->making_count; ++which) {
      const Making& making = entries[at]->makings[which];
      if (making.size) printf("made %u %u %u %s\n", which, making.first, making.count, making.names);
    }
  }
  return 0;
}
// PROGRAM describes its kernels; PROGRAM JOB INPUTS OUTPUTS TOLD runs a job
static int program(int count, char** words, const Unit& unit) {
  if (count != 5) return describe(unit);
  Job job = {};
  job.text = fopen(words[1], "r");
  job.inputs = fopen(words[2], "rb");
  job.outputs = fopen(words[3], "wb");
  job.report = fopen(words[4], "w");
  return run_job(job, unit.entries, unit.count);
}

}  // namespace kernelset
KS_SELDOM_END
KS_RUNTIME_END

#ifdef KERNELSET_PART
int main(int count, char** words) {
  return kernelset::program(
      count, words, {kernelset_entries, kernelset_entry_count, kernelset_constants, kernelset_constant_count});
}
#else
#define KERNELSET_PROGRAM(...)                                                             \
  int main(int count, char** words) {                                                      \
    static const kernelset::Entry* const entries[] = {__VA_ARGS__};                        \
    static const long long constants[] = {KERNELSET_CONSTANTS};                            \
    return kernelset::program(count, words, {entries, sizeof(entries) / sizeof(*entries),   \
                                             constants, sizeof(constants) / sizeof(*constants)}); \
  }
#endif
#endif
