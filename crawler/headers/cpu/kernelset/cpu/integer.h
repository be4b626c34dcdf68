// Integer intrinsics.
// Rule: CUDA Math API, "Integer Intrinsics", "SIMD Intrinsics" and "Type Casting Intrinsics".
#pragma once

KS_RUNTIME_BEGIN
KS_D int __popc(unsigned int x) { return __builtin_popcount(x); }
KS_D int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
KS_D int __clz(int x) { return x ? __builtin_clz(static_cast<unsigned>(x)) : 32; }
KS_D int __clzll(long long x) { return x ? __builtin_clzll(static_cast<unsigned long long>(x)) : 64; }
KS_D int __ffs(int x) { return __builtin_ffs(x); }
KS_D int __ffsll(long long x) { return __builtin_ffsll(x); }
#ifdef __clang__
KS_D unsigned int __brev(unsigned int x) { return __builtin_bitreverse32(x); }
KS_D unsigned long long __brevll(unsigned long long x) { return __builtin_bitreverse64(x); }
#else
KS_D unsigned long long __brevll(unsigned long long x) {
  unsigned long long turned = 0;
  for (int bit = 0; bit < 64; ++bit) turned |= (x >> bit & 1) << (63 - bit);
  return turned;
}
KS_D unsigned int __brev(unsigned int x) { return static_cast<unsigned int>(__brevll(x) >> 32); }
#endif
KS_D int __mul24(int a, int b) { return (a << 8 >> 8) * (b << 8 >> 8); }
KS_D unsigned int __umul24(unsigned int a, unsigned int b) { return (a & 0xffffffu) * (b & 0xffffffu); }
KS_D int __mulhi(int a, int b) { return static_cast<int>((static_cast<long long>(a) * b) >> 32); }
KS_D unsigned int __umulhi(unsigned int a, unsigned int b) {
  return static_cast<unsigned int>((static_cast<unsigned long long>(a) * b) >> 32);
}
KS_D long long __mul64hi(long long a, long long b) { return static_cast<long long>((static_cast<__int128>(a) * b) >> 64); }
KS_D unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>((static_cast<unsigned __int128>(a) * b) >> 64);
}
KS_D int __hadd(int a, int b) { return static_cast<int>((static_cast<long long>(a) + b) >> 1); }
KS_D int __rhadd(int a, int b) { return static_cast<int>((static_cast<long long>(a) + b + 1) >> 1); }
KS_D unsigned int __uhadd(unsigned int a, unsigned int b) { return static_cast<unsigned>((0ull + a + b) >> 1); }
KS_D unsigned int __urhadd(unsigned int a, unsigned int b) { return static_cast<unsigned>((1ull + a + b) >> 1); }
KS_D unsigned int __sad(int a, int b, unsigned int c) { return c + (a < b ? unsigned(b) - unsigned(a) : unsigned(a) - unsigned(b)); }
KS_D unsigned int __usad(unsigned int a, unsigned int b, unsigned int c) { return c + (a < b ? b - a : a - b); }
KS_D unsigned int __funnelshift_l(unsigned int low, unsigned int high, unsigned int by) {
  return static_cast<unsigned>((static_cast<unsigned long long>(high) << 32 | low) << (by & 31) >> 32);
}
KS_D unsigned int __funnelshift_r(unsigned int low, unsigned int high, unsigned int by) {
  return static_cast<unsigned>((static_cast<unsigned long long>(high) << 32 | low) >> (by & 31));
}
KS_D unsigned int __funnelshift_lc(unsigned int low, unsigned int high, unsigned int by) {
  return by >= 32 ? low : __funnelshift_l(low, high, by);
}
KS_D unsigned int __funnelshift_rc(unsigned int low, unsigned int high, unsigned int by) {
  return by >= 32 ? high : __funnelshift_r(low, high, by);
}
KS_D unsigned int __byte_perm(unsigned int a, unsigned int b, unsigned int selector) {
  const unsigned long long bytes = static_cast<unsigned long long>(b) << 32 | a;
  unsigned int result = 0;
  for (int at = 0; at < 4; ++at) {
    const unsigned int wish = selector >> 4 * at & 15u;
    unsigned int byte = static_cast<unsigned>(bytes >> 8 * (wish & 7u)) & 0xffu;
    if (wish & 8u) byte = byte & 0x80u ? 0xffu : 0u;
    result |= byte << 8 * at;
  }
  return result;
}

namespace kernelset {
// each of the four bytes, or two halves, of two words
template <class Part, class Op>
KS_HD unsigned int parts(unsigned int a, unsigned int b, Op op) {
  Part left[4 / sizeof(Part)], right[4 / sizeof(Part)];
  __builtin_memcpy(left, &a, 4);
  __builtin_memcpy(right, &b, 4);
  for (size_t at = 0; at < 4 / sizeof(Part); ++at) left[at] = static_cast<Part>(op(left[at], right[at]));
  __builtin_memcpy(&a, left, 4);
  return a;
}
template <class A, class B>
KS_HD int dot4(unsigned int a, unsigned int b, int c) {
  for (int at = 0; at < 4; ++at) c += static_cast<A>(a >> 8 * at) * static_cast<B>(b >> 8 * at);
  return c;
}
}  // namespace kernelset

KS_D int __dp4a(int a, int b, int c) { return kernelset::dot4<signed char, signed char>(unsigned(a), unsigned(b), c); }
KS_D unsigned int __dp4a(unsigned int a, unsigned int b, unsigned int c) {
  return static_cast<unsigned>(kernelset::dot4<unsigned char, unsigned char>(a, b, static_cast<int>(c)));
}
#define KS_PARTS(NAME, SIGNED, UNSIGNED, EXPRESSION)                                                                     \
  KS_D unsigned int NAME##4(unsigned int x, unsigned int y) {                                                           \
    return kernelset::parts<SIGNED>(x, y, [](int a, int b) { return EXPRESSION; });                                     \
  }                                                                                                                     \
  KS_D unsigned int NAME##2(unsigned int x, unsigned int y) {                                                           \
    return kernelset::parts<UNSIGNED>(x, y, [](int a, int b) { return EXPRESSION; });                                   \
  }
KS_PARTS(__vadd, unsigned char, unsigned short, a + b)
KS_PARTS(__vsub, unsigned char, unsigned short, a - b)
KS_PARTS(__vminu, unsigned char, unsigned short, a < b ? a : b)
KS_PARTS(__vmaxu, unsigned char, unsigned short, a < b ? b : a)
KS_PARTS(__vmins, signed char, short, a < b ? a : b)
KS_PARTS(__vmaxs, signed char, short, a < b ? b : a)
KS_PARTS(__vcmpeq, unsigned char, unsigned short, a == b ? -1 : 0)
KS_PARTS(__vcmpne, unsigned char, unsigned short, a != b ? -1 : 0)
KS_PARTS(__vcmpgtu, unsigned char, unsigned short, a > b ? -1 : 0)
KS_PARTS(__vcmpgts, signed char, short, a > b ? -1 : 0)
KS_PARTS(__vcmpgeu, unsigned char, unsigned short, a >= b ? -1 : 0)
KS_PARTS(__vcmpltu, unsigned char, unsigned short, a < b ? -1 : 0)
KS_PARTS(__vcmpleu, unsigned char, unsigned short, a <= b ? -1 : 0)
KS_PARTS(__vabsdiffu, unsigned char, unsigned short, a < b ? b - a : a - b)
#undef KS_PARTS
KS_D unsigned int __vsubss4(unsigned int x, unsigned int y) {
  return kernelset::parts<signed char>(x, y, [](int a, int b) { return a - b < -128 ? -128 : a - b > 127 ? 127 : a - b; });
}
KS_D unsigned int __vaddss4(unsigned int x, unsigned int y) {
  return kernelset::parts<signed char>(x, y, [](int a, int b) { return a + b < -128 ? -128 : a + b > 127 ? 127 : a + b; });
}

KS_D int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
KS_D unsigned int __float_as_uint(float x) { return __builtin_bit_cast(unsigned int, x); }
KS_D float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
KS_D float __uint_as_float(unsigned int x) { return __builtin_bit_cast(float, x); }
KS_D long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
KS_D double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
KS_D int __double2hiint(double x) { return static_cast<int>(__builtin_bit_cast(long long, x) >> 32); }
KS_D int __double2loint(double x) { return static_cast<int>(__builtin_bit_cast(long long, x)); }
KS_D double __hiloint2double(int high, int low) {
  return __longlong_as_double(static_cast<long long>(high) << 32 | static_cast<unsigned int>(low));
}
KS_RUNTIME_END
