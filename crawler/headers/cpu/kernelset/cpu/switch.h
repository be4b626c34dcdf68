// Leaving one stack for another: the registers that a call preserves go onto the old one and come from the new one.
#pragma once
#include <stdint.h>

KS_RUNTIME_BEGIN
namespace kernelset {

#if defined(__x86_64__)
constexpr int saved_words = 6;
__attribute__((naked, noinline)) static void switch_stack(void** /*from*/, void* /*to*/) {
  __asm__(
      "pushq %rbp\n pushq %rbx\n pushq %r12\n pushq %r13\n pushq %r14\n pushq %r15\n"
      "movq %rsp, (%rdi)\n movq %rsi, %rsp\n"
      "popq %r15\n popq %r14\n popq %r13\n popq %r12\n popq %rbx\n popq %rbp\n ret\n");
}
// a stack that `switch_stack` enters `function` on; `top` is aligned to 16
static void* fresh_stack(char* top, void (*function)()) {
  void** word = reinterpret_cast<void**>(top) - 2;
  word[1] = nullptr;
  word[0] = reinterpret_cast<void*>(function);
  for (int at = 0; at < saved_words; ++at) *--word = nullptr;
  return word;
}
#elif defined(__aarch64__)
constexpr int saved_words = 20;
__attribute__((naked, noinline)) static void switch_stack(void** /*from*/, void* /*to*/) {
  __asm__(
      "sub sp, sp, #160\n"
      "stp x19, x20, [sp, #0]\n stp x21, x22, [sp, #16]\n stp x23, x24, [sp, #32]\n stp x25, x26, [sp, #48]\n"
      "stp x27, x28, [sp, #64]\n stp x29, x30, [sp, #80]\n stp d8, d9, [sp, #96]\n stp d10, d11, [sp, #112]\n"
      "stp d12, d13, [sp, #128]\n stp d14, d15, [sp, #144]\n"
      "mov x9, sp\n str x9, [x0]\n mov sp, x1\n"
      "ldp x19, x20, [sp, #0]\n ldp x21, x22, [sp, #16]\n ldp x23, x24, [sp, #32]\n ldp x25, x26, [sp, #48]\n"
      "ldp x27, x28, [sp, #64]\n ldp x29, x30, [sp, #80]\n ldp d8, d9, [sp, #96]\n ldp d10, d11, [sp, #112]\n"
      "ldp d12, d13, [sp, #128]\n ldp d14, d15, [sp, #144]\n"
      "add sp, sp, #160\n ret\n");
}
static void* fresh_stack(char* top, void (*function)()) {
  void** word = reinterpret_cast<void**>(top) - saved_words;
  for (int at = 0; at < saved_words; ++at) word[at] = nullptr;
  word[11] = reinterpret_cast<void*>(function);  // x30
  return word;
}
#else
#error "threads of a kernel need a hand-written switch of stacks: x86-64 and aarch64 have one"
#endif

}  // namespace kernelset
KS_RUNTIME_END
