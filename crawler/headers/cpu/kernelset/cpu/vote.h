// Votes, matches and reductions of a warp's lanes.
#pragma once

KS_RUNTIME_BEGIN
namespace kernelset {

static void pass(Warp&, Lanes) {}
static void ballot(Warp& warp, Lanes present) {
  Lanes yes = 0;
  for (Lanes rest = present; rest; rest &= rest - 1) yes |= warp.given[lowest(rest)] ? rest & -rest : 0;
  for (Lanes rest = present; rest; rest &= rest - 1) warp.result[lowest(rest)] = yes;
}
static void gather(Warp& warp, Lanes present) {
  for (Lanes rest = present; rest; rest &= rest - 1) warp.result[lowest(rest)] = present;
}
static void match(Warp& warp, Lanes present) {
  for (Lanes rest = present; rest; rest &= rest - 1) {
    Lanes same = 0;
    const unsigned lane = lowest(rest);
    for (Lanes other = present; other; other &= other - 1) {
      if (warp.given[lowest(other)] == warp.given[lane]) same |= other & -other;
    }
    warp.result[lane] = same;
  }
}
template <class T, class Combine>
static void reduce(Warp& warp, Lanes present) {
  T total = static_cast<T>(warp.given[lowest(present)]);
  for (Lanes rest = present & (present - 1); rest; rest &= rest - 1) {
    total = Combine::apply(total, static_cast<T>(warp.given[lowest(rest)]));
  }
  for (Lanes rest = present; rest; rest &= rest - 1) warp.result[lowest(rest)] = static_cast<unsigned long long>(total);
}
template <class T>
KS_HD unsigned long long bits_of(const T& value) {
  static_assert(sizeof(T) <= 8 && std::is_trivially_copyable<T>::value, "lanes compare plain values");
  unsigned long long word = 0;
  __builtin_memcpy(&word, &value, sizeof(T));
  return word;
}
KS_HD Lanes present(Lanes mask, unsigned line) { return meet(mask, gather, 0, 0, line); }
KS_HD ks_mask active_mask(unsigned line = __builtin_LINE()) { return static_cast<ks_mask>(present(0, line)); }

}  // namespace kernelset

KS_D void __syncwarp(ks_mask mask = static_cast<ks_mask>(kernelset::every_lane), unsigned line = __builtin_LINE()) {
  kernelset::meet(mask, kernelset::pass, 0, 0, line);
}
KS_D ks_mask __activemask(unsigned line = __builtin_LINE()) { return kernelset::active_mask(line); }
KS_D ks_mask __ballot_sync(ks_mask mask, int predicate, unsigned line = __builtin_LINE()) {
  return static_cast<ks_mask>(kernelset::meet(mask, kernelset::ballot, predicate != 0, 0, line));
}
KS_D int __any_sync(ks_mask mask, int predicate, unsigned line = __builtin_LINE()) {
  return __ballot_sync(mask, predicate, line) != 0;
}
KS_D int __all_sync(ks_mask mask, int predicate, unsigned line = __builtin_LINE()) {
  return __ballot_sync(mask, !predicate, line) == 0;
}
KS_D int __uni_sync(ks_mask mask, int predicate, unsigned line = __builtin_LINE()) {
  const ks_mask yes = __ballot_sync(mask, predicate, line);
  return yes == 0 || (static_cast<kernelset::Lanes>(yes) == kernelset::present(mask, line));
}
KS_D ks_mask __ballot(int predicate, unsigned line = __builtin_LINE()) { return __ballot_sync(0, predicate, line); }
KS_D int __any(int predicate, unsigned line = __builtin_LINE()) { return __any_sync(0, predicate, line); }
KS_D int __all(int predicate, unsigned line = __builtin_LINE()) { return __all_sync(0, predicate, line); }

template <class T>
KS_D ks_mask __match_any_sync(ks_mask mask, T value, unsigned line = __builtin_LINE()) {
  return static_cast<ks_mask>(kernelset::meet(mask, kernelset::match, kernelset::bits_of(value), 0, line));
}
template <class T>
KS_D ks_mask __match_all_sync(ks_mask mask, T value, int* same, unsigned line = __builtin_LINE()) {
  const kernelset::Lanes equal = kernelset::meet(mask, kernelset::match, kernelset::bits_of(value), 0, line);
  *same = equal == kernelset::present(mask, line);
  return *same ? static_cast<ks_mask>(equal) : 0;
}

#define KS_REDUCE(NAME, EXPRESSION)                                                                               \
  namespace kernelset {                                                                                           \
  struct by_##NAME {                                                                                                 \
    template <class T>                                                                                            \
    static T apply(T a, T b) {                                                                                    \
      return EXPRESSION;                                                                                          \
    }                                                                                                             \
  };                                                                                                              \
  }                                                                                                               \
  template <class T>                                                                                              \
  static inline T __reduce_##NAME##_sync(ks_mask mask, T value, unsigned line = __builtin_LINE()) {               \
    return static_cast<T>(                                                                                        \
        kernelset::meet(mask, kernelset::reduce<T, kernelset::by_##NAME>, static_cast<unsigned long long>(value), 0, line)); \
  }
KS_REDUCE(add, a + b)
KS_REDUCE(min, a < b ? a : b)
KS_REDUCE(max, a < b ? b : a)
KS_REDUCE(and, a& b)
KS_REDUCE(or, a | b)
KS_REDUCE(xor, a ^ b)
#undef KS_REDUCE
KS_RUNTIME_END
