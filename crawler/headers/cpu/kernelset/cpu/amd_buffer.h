// Loads and stores through a buffer's descriptor, as LLVM names them, on a CPU: what a unit declares by the name of an
// intrinsic is bound to these. A descriptor holds an address of 48 bits, a stride of 14, a number of bytes, and flags.
// Rule: LLVM's IntrinsicsAMDGPU.td (the second offset is no part of the check), and "CDNA 2 Instruction Set
// Architecture", "Buffer Range Checking": what lies outside reads as 0 and is not written, word by word.
#pragma once
#include <cstring>

#define KS_BUFFER(result, name, ...) \
  extern "C" __attribute__((used, noinline)) inline result ks_amd_##name(__VA_ARGS__)
#define KS_LABEL(text) __asm("kernelset.amdgcn.raw.buffer." text)

namespace kernelset::amd {
typedef int Descriptor __attribute__((ext_vector_type(4)));
struct Range {
  char* base;
  unsigned size;
};
static inline Range range_of(Descriptor what) {
  const unsigned long long low = static_cast<unsigned>(what[0]), high = static_cast<unsigned>(what[1]) & 0xffffu;
  return {reinterpret_cast<char*>(high << 32 | low), static_cast<unsigned>(what[2])};
}
// a word may lie where its parts may
template <class Part, class Of>
struct Loose {
  typedef Part type __attribute__((aligned(alignof(Of)), may_alias));
};
template <class Part, class Of, class T>
static inline T loaded(Range range, unsigned at, int scalar) {
  constexpr int count = sizeof(T) / sizeof(Part);
  Part parts[count];
  for (int part = 0; part < count; ++part) {
    const unsigned long long place = at + 1ull * part * sizeof(Part);
    parts[part] = 0;
    if (place + sizeof(Part) > range.size) continue;
    parts[part] = *reinterpret_cast<const typename Loose<Part, Of>::type*>(range.base + scalar + place);
  }
  T value;
  __builtin_memcpy(&value, parts, sizeof(T));
  return value;
}
template <class Part, class Of, class T>
static inline void stored(Range range, unsigned at, int scalar, T value) {
  constexpr int count = sizeof(T) / sizeof(Part);
  Part parts[count];
  __builtin_memcpy(parts, &value, sizeof(T));
  for (int part = 0; part < count; ++part) {
    const unsigned long long place = at + 1ull * part * sizeof(Part);
    if (place + sizeof(Part) > range.size) continue;
    *reinterpret_cast<typename Loose<Part, Of>::type*>(range.base + scalar + place) = parts[part];
  }
}
template <class T>
static inline T* within(Range range, unsigned at, int scalar) {
  return at + 1ull * sizeof(T) <= range.size ? reinterpret_cast<T*>(range.base + scalar + at) : nullptr;
}
}  // namespace kernelset::amd

#define KS_BOTH(kind, T, Of, Part)                                                                           \
  KS_BUFFER(T, load_##kind, kernelset::amd::Descriptor what, int at, int scalar, int)                      \
  KS_LABEL("load." #kind);                                                                                 \
  KS_BUFFER(T, load_##kind, kernelset::amd::Descriptor what, int at, int scalar, int) {                    \
    return kernelset::amd::loaded<Part, Of, T>(kernelset::amd::range_of(what), unsigned(at), scalar);          \
  }                                                                                                        \
  KS_BUFFER(void, store_##kind, T value, kernelset::amd::Descriptor what, int at, int scalar, int)         \
  KS_LABEL("store." #kind);                                                                                \
  KS_BUFFER(void, store_##kind, T value, kernelset::amd::Descriptor what, int at, int scalar, int) {       \
    kernelset::amd::stored<Part, Of, T>(kernelset::amd::range_of(what), unsigned(at), scalar, value);          \
  }
#define KS_VECTORS(kind, T, Part2, Part4)                                  \
  typedef T ks_v2##kind __attribute__((ext_vector_type(2)));               \
  typedef T ks_v4##kind __attribute__((ext_vector_type(4)));               \
  KS_BOTH(kind, T, T, T) KS_BOTH(v2##kind, ks_v2##kind, T, Part2) KS_BOTH(v4##kind, ks_v4##kind, T, Part4)
KS_VECTORS(i8, signed char, unsigned short, unsigned)
KS_VECTORS(i16, short, unsigned, unsigned)
KS_VECTORS(i32, int, unsigned, unsigned)
KS_VECTORS(f16, _Float16, unsigned, unsigned)
KS_VECTORS(f32, float, float, float)

#define KS_CHANGE(name, label, T, change)                                                                  \
  KS_BUFFER(T, name, T value, kernelset::amd::Descriptor what, int at, int scalar, int) KS_LABEL(label);   \
  KS_BUFFER(T, name, T value, kernelset::amd::Descriptor what, int at, int scalar, int) {                  \
    T* place = kernelset::amd::within<T>(kernelset::amd::range_of(what), unsigned(at), scalar);            \
    return place ? kernelset::atomically(place, [=](T old) -> T { return change; }) : T{};                 \
  }
KS_CHANGE(atomic_add_i32, "atomic.add.i32", int, old + value)
KS_CHANGE(atomic_fadd_f32, "atomic.fadd.f32", float, old + value)
KS_CHANGE(atomic_fmax_f64, "atomic.fmax.f64", double, old < value ? value : old)

KS_BUFFER(ks_v2f16, atomic_fadd_v2f16, ks_v2f16 value, kernelset::amd::Descriptor what, int at, int scalar, int)
KS_LABEL("atomic.fadd.v2f16");
KS_BUFFER(ks_v2f16, atomic_fadd_v2f16, ks_v2f16 value, kernelset::amd::Descriptor what, int at, int scalar, int) {
  unsigned* place = kernelset::amd::within<unsigned>(kernelset::amd::range_of(what), unsigned(at), scalar);
  if (!place) return ks_v2f16{};
  return __builtin_bit_cast(ks_v2f16, kernelset::atomically(place, [=](unsigned old) {
    return __builtin_bit_cast(unsigned, __builtin_bit_cast(ks_v2f16, old) + value);
  }));
}
#undef KS_BUFFER
#undef KS_LABEL
#undef KS_BOTH
#undef KS_VECTORS
#undef KS_CHANGE
