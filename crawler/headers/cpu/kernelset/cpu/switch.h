// Leaving one stack for another, in the midst of a function: the compiler keeps what it still needs on the old stack, as
// for a call, and the new one goes on where it left, by a jump. A return would be foretold wrongly each time.
#pragma once
#include <stdint.h>

KS_RUNTIME_BEGIN
namespace kernelset {

#if defined(__x86_64__)
#ifdef KERNELSET_NO_RED_ZONE  // as our own flags say: then nothing below the stack's end is in use
#define KS_RED_ZONE "0"
#else
#define KS_RED_ZONE "128"
#endif
KS_HD void switch_stack(void** from, void* to) {
  __asm__ volatile(
      "leaq -" KS_RED_ZONE "(%%rsp), %%rsp\n pushq %%rbp\n pushq %%rbx\n"
      "leaq 1f(%%rip), %%rax\n pushq %%rax\n"
      "movq %%rsp, (%0)\n movq %1, %%rsp\n"
      "popq %%rax\n jmpq *%%rax\n"
      "1:\n popq %%rbx\n popq %%rbp\n leaq " KS_RED_ZONE "(%%rsp), %%rsp\n"
      : "+D"(from), "+S"(to)
      :
      : "rax", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "cc", "memory", "xmm0", "xmm1", "xmm2",
        "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
}
// a stack that `switch_stack` enters `function` on; `top` is aligned to 16
static void* fresh_stack(char* top, void (*function)()) {
  void** word = reinterpret_cast<void**>(top) - 2;
  word[1] = nullptr;
  word[0] = reinterpret_cast<void*>(function);
  return word;
}
#elif defined(__aarch64__)
KS_HD void switch_stack(void** from, void* to) {
  register void** old_place __asm__("x0") = from;
  register void* new_stack __asm__("x1") = to;
  __asm__ volatile(
      "stp x29, x19, [sp, #-32]!\n adr x9, 1f\n str x9, [sp, #16]\n"
      "mov x9, sp\n str x9, [x0]\n mov sp, x1\n"
      "ldr x9, [sp, #16]\n br x9\n"
      "1:\n ldp x29, x19, [sp], #32\n"
      : "+r"(old_place), "+r"(new_stack)
      :
      : "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17", "x20", "x21",
        "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x30", "cc", "memory", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7",
        "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24",
        "v25", "v26", "v27", "v28", "v29", "v30", "v31");
}
static void* fresh_stack(char* top, void (*function)()) {
  void** word = reinterpret_cast<void**>(top) - 4;
  word[2] = reinterpret_cast<void*>(function);
  return word;
}
#else
#error "threads of a kernel need a hand-written switch of stacks: x86-64 and aarch64 have one"
#endif

}  // namespace kernelset
KS_RUNTIME_END
