// Votes, matches and reductions of a warp's lanes.
#pragma once

KS_RUNTIME_BEGIN
namespace kernelset {

KS_PART void pass(Warp&, Lanes) {}
KS_PART void ballot(Warp& warp, Lanes present) {
  Lanes yes = 0;
  for (Lanes rest = present; rest; rest &= rest - 1) yes |= warp.given[lowest(rest)] ? rest & -rest : 0;
  for (Lanes rest = present; rest; rest &= rest - 1) warp.result[lowest(rest)] = yes;
}
KS_PART void gather(Warp& warp, Lanes present) {
  for (Lanes rest = present; rest; rest &= rest - 1) warp.result[lowest(rest)] = present;
}
KS_PART void match(Warp& warp, Lanes present) {
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
KS_HD ks_mask active_mask(unsigned line = __builtin_LINE()) { return mask_of(meet(0, gather, 0, 0, line)); }
// a vote of 32 lanes is a word of 32 bits, unless the dialect knows of more
#ifdef __HIP__
using Vote = Lanes;
#else
using Vote = std::conditional_t<(warpSize > 32), Lanes, unsigned int>;
#endif

}  // namespace kernelset

KS_D void __syncwarp(ks_mask mask = static_cast<ks_mask>(kernelset::every_lane), unsigned line = __builtin_LINE()) {
  kernelset::meet(kernelset::named_in(mask), kernelset::pass, 0, 0, line);
}
KS_D ks_mask __activemask(unsigned line = __builtin_LINE()) { return kernelset::active_mask(line); }
KS_D ks_mask __ballot_sync(ks_mask mask, int predicate, unsigned line = __builtin_LINE()) {
  return kernelset::mask_of(kernelset::meet(kernelset::named_in(mask), kernelset::ballot, predicate != 0, 0, line));
}
KS_D int __any_sync(ks_mask mask, int predicate, unsigned line = __builtin_LINE()) {
  return __ballot_sync(mask, predicate, line) != 0;
}
KS_D int __all_sync(ks_mask mask, int predicate, unsigned line = __builtin_LINE()) {
  return __ballot_sync(mask, !predicate, line) == 0;
}
KS_D int __uni_sync(ks_mask mask, int predicate, unsigned line = __builtin_LINE()) {
  return __all_sync(mask, predicate, line) || __all_sync(mask, !predicate, line);
}
KS_D kernelset::Vote __ballot(int predicate, unsigned line = __builtin_LINE()) {
  return static_cast<kernelset::Vote>(kernelset::meet(0, kernelset::ballot, predicate != 0, 0, line));
}
KS_D int __any(int predicate, unsigned line = __builtin_LINE()) { return __ballot(predicate, line) != 0; }
KS_D int __all(int predicate, unsigned line = __builtin_LINE()) { return __ballot(!predicate, line) == 0; }

template <class T>
KS_D ks_mask __match_any_sync(ks_mask mask, T value, unsigned line = __builtin_LINE()) {
  const kernelset::Lanes named = kernelset::named_in(mask);
  return kernelset::mask_of(kernelset::meet(named, kernelset::match, kernelset::bits_of(value), 0, line));
}
template <class T>
KS_D ks_mask __match_all_sync(ks_mask mask, T value, int* same, unsigned line = __builtin_LINE()) {
  const kernelset::Lanes named = kernelset::named_in(mask);
  const kernelset::Lanes equal = kernelset::meet(named, kernelset::match, kernelset::bits_of(value), 0, line);
  *same = equal == kernelset::meet(named, kernelset::gather, 0, 0, line);
  return *same ? kernelset::mask_of(equal) : 0;
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
    const kernelset::Lanes named = kernelset::named_in(mask);                                                     \
    const auto work = kernelset::reduce<T, kernelset::by_##NAME>;                                                 \
    return static_cast<T>(kernelset::meet(named, work, static_cast<unsigned long long>(value), 0, line));         \
  }
KS_REDUCE(add, a + b)
KS_REDUCE(min, a < b ? a : b)
KS_REDUCE(max, a < b ? b : a)
KS_REDUCE(and, a& b)
KS_REDUCE(or, a | b)
KS_REDUCE(xor, a ^ b)
#undef KS_REDUCE
KS_RUNTIME_END
