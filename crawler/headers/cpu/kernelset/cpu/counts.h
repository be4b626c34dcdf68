// How often each branch of a kernel was taken: the counters of clang's source-based coverage, whose runtime is not linked.
// A process that ends hands its counters to its parent.
// Rule: llvm-project, compiler-rt/include/profile/InstrProfData.inc, INSTR_PROF_DATA, as it is since LLVM 18.
#pragma once

KS_RUNTIME_BEGIN
#ifndef KERNELSET_COUNT
namespace kernelset {
KS_D void make_counts() {}
KS_PART void keep_counts() {}
KS_D void write_counts(FILE*) {}
}  // namespace kernelset
#else
namespace kernelset {
struct Counted {
  unsigned long long name, hash;
  long long counters, bitmap;  // from this record's own place
  void *function, *values;
  unsigned count;
  unsigned char sites[12];
};
static_assert(sizeof(Counted) == 64);
}  // namespace kernelset
extern "C" kernelset::Counted __start___llvm_prf_data[] __attribute__((weak, visibility("hidden")));
extern "C" kernelset::Counted __stop___llvm_prf_data[] __attribute__((weak, visibility("hidden")));
namespace kernelset {
static unsigned long long* counts;
KS_SELDOM_BEGIN
static size_t count_counters() {
  size_t held = 0;
  for (const Counted* each = __start___llvm_prf_data; each < __stop___llvm_prf_data; ++each) held += each->count;
  return held;
}
static void make_counts() {
  const int how = MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE;
  void* place = mmap(nullptr, (count_counters() + 1) * sizeof(*counts), PROT_READ | PROT_WRITE, how, -1, 0);
  counts = place == MAP_FAILED ? nullptr : static_cast<unsigned long long*>(place);
}
KS_PART void keep_counts() {
  unsigned long long* to = counts;
  for (const Counted* each = __start___llvm_prf_data; to && each < __stop___llvm_prf_data; to += each->count, ++each) {
    memcpy(to, reinterpret_cast<const char*>(each) + each->counters, each->count * sizeof(*to));
  }
}
static void write_counts(FILE* report) {
  const unsigned long long* from = counts;
  for (const Counted* each = __start___llvm_prf_data; from && each < __stop___llvm_prf_data; ++each) {
    fprintf(report, "counts %llu", each->name);
    for (unsigned at = 0; at < each->count; ++at) fprintf(report, " %llu", *from++);
    fprintf(report, "\n");
  }
  if (counts) memset(counts, 0, count_counters() * sizeof(*counts));
}
KS_SELDOM_END
}  // namespace kernelset
#endif
KS_RUNTIME_END
