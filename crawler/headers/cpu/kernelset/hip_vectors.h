// Operators on vectors, which HIP has and CUDA lacks. Those that a source defines by itself come first: ours are templates.
// Rule: HIP, "C++ language extensions", "Vector types": component by component, a number stands for all components.
#pragma once
#include <kernelset/vectors.h>

namespace kernelset {
template <class V> struct VectorLanes { static constexpr int count = 0; };
#define KS_LANES(T, N)                                                                        \
  template <> struct VectorLanes<N##1> { static constexpr int count = 1; using Lane = T; };         \
  template <> struct VectorLanes<N##2> { static constexpr int count = 2; using Lane = T; };         \
  template <> struct VectorLanes<N##3> { static constexpr int count = 3; using Lane = T; };         \
  template <> struct VectorLanes<N##4> { static constexpr int count = 4; using Lane = T; };
KS_LANES(signed char, char)
KS_LANES(unsigned char, uchar)
KS_LANES(short, short)
KS_LANES(unsigned short, ushort)
KS_LANES(int, int)
KS_LANES(unsigned int, uint)
KS_LANES(long, long)
KS_LANES(unsigned long, ulong)
KS_LANES(long long, longlong)
KS_LANES(unsigned long long, ulonglong)
KS_LANES(float, float)
KS_LANES(double, double)
#undef KS_LANES

template <class V, int = 1 / (VectorLanes<V>::count > 0)> using LaneOf = typename VectorLanes<V>::Lane;
template <class V> V all_lanes(LaneOf<V> value) {
  V made;
  for (int at = 0; at < VectorLanes<V>::count; ++at) (&made.x)[at] = value;
  return made;
}
}  // namespace kernelset

#define KS_ON_LANES(sign)                                                                                      \
  template <class V, class = ::kernelset::LaneOf<V>> KS_HD inline V& operator sign##=(V& one, const V& two) {  \
    for (int at = 0; at < ::kernelset::VectorLanes<V>::count; ++at) (&one.x)[at] sign##= (&two.x)[at];               \
    return one;                                                                                                \
  }                                                                                                            \
  template <class V> KS_HD inline V& operator sign##=(V& one, ::kernelset::LaneOf<V> two) {                    \
    return one sign##= ::kernelset::all_lanes<V>(two);                                                         \
  }                                                                                                            \
  template <class V, class = ::kernelset::LaneOf<V>> KS_HD inline V operator sign(V one, const V& two) {       \
    return one sign##= two;                                                                                    \
  }                                                                                                            \
  template <class V> KS_HD inline V operator sign(V one, ::kernelset::LaneOf<V> two) {                         \
    return one sign##= ::kernelset::all_lanes<V>(two);                                                         \
  }                                                                                                            \
  template <class V> KS_HD inline V operator sign(::kernelset::LaneOf<V> one, const V& two) {                  \
    V made = ::kernelset::all_lanes<V>(one);                                                                   \
    return made sign##= two;                                                                                   \
  }
KS_ON_LANES(+)
KS_ON_LANES(-)
KS_ON_LANES(*)
KS_ON_LANES(/)
#undef KS_ON_LANES

template <class V, class = ::kernelset::LaneOf<V>> KS_HD inline V operator-(V one) {
  for (int at = 0; at < ::kernelset::VectorLanes<V>::count; ++at) (&one.x)[at] = -(&one.x)[at];
  return one;
}
template <class V, class = ::kernelset::LaneOf<V>> KS_HD inline bool operator==(const V& one, const V& two) {
  for (int at = 0; at < ::kernelset::VectorLanes<V>::count; ++at) {
    if (!((&one.x)[at] == (&two.x)[at])) return false;
  }
  return true;
}
template <class V, class = ::kernelset::LaneOf<V>> KS_HD inline bool operator!=(const V& one, const V& two) {
  return !(one == two);
}
