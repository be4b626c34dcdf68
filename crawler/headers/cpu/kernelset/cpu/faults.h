// Signals that the memory or the arithmetic of a kernel raises: whoever gets them writes down what was wrong.
#pragma once
#include <signal.h>

KS_RUNTIME_BEGIN
KS_SELDOM_BEGIN
namespace kernelset {

static bool is_in_stack_guard(const char* place) {
  const size_t into = static_cast<size_t>(place - stacks);
  return stacks && into < stack_bytes * most_fibers && into % stack_bytes < page;
}
static void watch_faults(void (*handler)(int, siginfo_t*, void*)) {
  static char stack[64 << 10];
  const stack_t other = {stack, 0, sizeof(stack)};
  sigaltstack(&other, nullptr);
  struct sigaction action = {};
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT}) sigaction(number, &action, nullptr);
}

}  // namespace kernelset
KS_SELDOM_END
KS_RUNTIME_END
