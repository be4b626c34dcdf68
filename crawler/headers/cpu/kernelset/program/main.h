// The part that all sources of a program have in common: its device.
#pragma once
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <exception>

#include <kernelset/program/device_memory.h>

#include <kernelset/cpu/trace.h>

#include <kernelset/cpu/trace_atomics.h>

#include <kernelset/cpu/faults.h>

#include <kernelset/cpu/launch.h>

#include <kernelset/program/launch_log.h>

#include <kernelset/program/instances.h>

#include <kernelset/program/record.h>

#ifndef KERNELSET_LIBRARY
#include <kernelset/program/files.h>
#endif

#include <kernelset/cpu/undefined.h>

#include <kernelset/program/runtime.h>

#include <kernelset/program/texels.h>

KS_RUNTIME_BEGIN
KS_SELDOM_BEGIN
namespace kernelset {

static Kind kind_of_fault(int number, const char* place, int& buffer) {
  if (number == SIGFPE) return Kind::divide_by_zero;
  if (number == SIGILL || number == SIGTRAP) return Kind::trap;
  if (number == SIGABRT) return Kind::assertion;
  if (is_in_stack_guard(place)) return Kind::stack_overflow;
  buffer = allocation_at(place);
  const bool by_shared = static_cast<size_t>(place - dynamic_shared) < dynamic_bytes + page ||
                         (place >= statics_begin && place < statics_end + most_dynamic);
  if (buffer < 0 && by_shared) buffer = -2;
  return buffer == -1 ? Kind::fault : Kind::out_of_bounds;
}
// of a kernel, it is a finding; of the host's own code, the program's end
static void on_fault(int number, siginfo_t* about, void*) {
  if (!is_in_kernel) _exit(128 + number);
  int buffer = -1;
  const char* place = static_cast<const char*>(about->si_addr);
  const Kind kind = kind_of_fault(number, place, buffer);
  const char* from = buffer >= 0 ? allocations()[buffer].base : buffer == -2 ? dynamic_shared : nullptr;
  find(kind, 0, buffer, kind == Kind::out_of_bounds ? place - from : 0, number);
  end_run();
}
// An exception that nobody catches is how some programs refuse their results: what it says is said, and the program ends by itself.
static void end_by_exception() {
  if (is_in_kernel) abort();
  try {
    if (std::exception_ptr thrown = std::current_exception()) std::rethrow_exception(thrown);
  } catch (const std::exception& thrown) {
    fprintf(stderr, "%s\n", thrown.what());
  } catch (...) {
  }
  fflush(nullptr);
  _exit(1);
}
static void log_timeout(int) {
  if (is_in_kernel) find(Kind::timeout);
  fputs("timeout\n", launch_log());
  fflush(launch_log());
  end_run();
}
static void limit_seconds(long seconds) {
  struct sigaction ending = {};
  ending.sa_handler = log_timeout;
  ending.sa_flags = SA_ONSTACK;
  sigaction(SIGPROF, &ending, nullptr);
  const itimerval when = {{0, 0}, {seconds, 0}};
  setitimer(ITIMER_PROF, &when, nullptr);
}
__attribute__((constructor)) static void prepare_program() {
  stack_bytes = size_t(256) << 10;
  const char* fill = getenv("KERNELSET_FILL");
  memory_fill = static_cast<unsigned char>(fill ? atoi(fill) : 0xff);
  shared_fill = memory_fill;
  inactive_value = memory_fill ? ~0ull : 0;
  report = &launch_report;
  const char* arguments = getenv("KERNELSET_CHANGED_ARGUMENTS");
  const char* skip = getenv("KERNELSET_SKIP");
  if (skip) skip_target() = {atoi(skip), arguments ? arguments : ""};
  const char* spoil = getenv("KERNELSET_SPOIL");
  if (spoil) spoil_target() = {atoi(spoil), arguments ? arguments : ""};

  const char* test = getenv("KERNELSET_TEST");
  if (test) running_test = atoi(test);

  watch_faults(on_fault);
#ifndef KERNELSET_LIBRARY
  std::set_terminate(end_by_exception);
#endif
  const char* seconds = getenv("KERNELSET_SECONDS");
  if (seconds) limit_seconds(atol(seconds));
}

}  // namespace kernelset
KS_SELDOM_END
KS_RUNTIME_END

#ifdef KERNELSET_LIBRARY
#include <kernelset/program/library.h>
#endif
