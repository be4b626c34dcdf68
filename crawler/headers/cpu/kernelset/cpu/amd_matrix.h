// Products of matrices of AMD's devices of 64 lanes on a CPU: the lanes of a warp meet, and the last computes for all.
// Rule: "CDNA 2 Instruction Set Architecture", "Dense Matrix Layouts", and AMD's matrix instruction calculator.
#pragma once

KS_RUNTIME_BEGIN
namespace kernelset::amd {
template <class T, int count>
struct Words {
  T of[count];
};
inline float value_of(float x) { return x; }
inline double value_of(double x) { return x; }
inline float value_of(_Float16 x) { return static_cast<float>(x); }
inline float value_of(short x) { return bfloat(x); }
inline int value_of(signed char x) { return x; }

// what one lane brings: `rows` by `rows` in `blocks` blocks; the element of A and B, and of the sums
template <int rows, int blocks, class Of, class A, class Sum, class D>
struct Product {
  static constexpr int in_lane = sizeof(A) / sizeof(Of), sums = sizeof(D) / sizeof(Sum);
  static constexpr int groups = 64 / rows, in_block = groups / blocks, depth = in_block * in_lane;
  Words<Of, in_lane> a, b;
  Words<Sum, sums> d;
  int broadcast, which;

  // where in a block of sums a lane's register lies
  static int row_of(int lane, int at) {
    if (rows == 4) return at;
    if (sizeof(Sum) == 8) return lane / rows + groups * at;
    return at / 4 * 4 * groups + 4 * (lane / rows) + at % 4;
  }
  static void work(Warp& warp, Lanes present) {
    if (present != every_lane) find(Kind::inactive_lane, 0, -1, 0, int(lowest(~present)));
    const auto of = [&](int lane) {
      return present >> lane & 1 ? reinterpret_cast<Product*>(warp.given[lane]) : nullptr;
    };
    for (int lane = 0; lane < 64; ++lane) {
      if (!of(lane)) continue;
      Product& own = *of(lane);
      for (int at = 0; at < sums; ++at) {
        const int block = rows == 4 ? lane / 4 : at / (sums / blocks);
        const int row = row_of(lane, at % (sums / (rows == 4 ? 1 : blocks))), column = lane % rows;
        const int spread = 1 << own.broadcast, from = block / spread * spread + (own.broadcast ? own.which : block % spread);
        for (int deep = 0; deep < depth; ++deep) {
          const int group = deep / in_lane;
          Product *left = of((from * in_block + group) * rows + row), *right = of((block * in_block + group) * rows + column);
          if (left && right) own.d.of[at] += value_of(left->a.of[deep % in_lane]) * value_of(right->b.of[deep % in_lane]);
        }
      }
    }
  }
};
template <int rows, int blocks, class Of, class Sum, class A, class D>
KS_D D mfma(A a, A b, D c, int broadcast, int which, int swizzle, unsigned line) {
  if (warpSize != 64 || swizzle) find_and_end(Kind::unsupported, line);
  Product<rows, blocks, Of, A, Sum, D> own;
  __builtin_memcpy(&own.a, &a, sizeof(a));
  __builtin_memcpy(&own.b, &b, sizeof(b));
  __builtin_memcpy(&own.d, &c, sizeof(c));
  own.broadcast = broadcast;
  own.which = which;
  meet(0, &decltype(own)::work, reinterpret_cast<unsigned long long>(&own), 0, line);
  D d;
  __builtin_memcpy(&d, &own.d, sizeof(d));
  return d;
}
}  // namespace kernelset::amd

#define KS_MFMA(name, rows, blocks, Of, Sum, A, D)                                                               \
  static inline D __builtin_amdgcn_mfma_##name(A a, A b, D c, int broadcast, int which, int swizzle,             \
                                               unsigned line = __builtin_LINE()) noexcept {                      \
    return kernelset::amd::mfma<rows, blocks, Of, Sum>(a, b, c, broadcast, which, swizzle, line);                \
  }
KS_MFMA(f32_32x32x1f32, 32, 2, float, float, float, ks_f32x32)
KS_MFMA(f32_16x16x1f32, 16, 4, float, float, float, ks_f32x16)
KS_MFMA(f32_4x4x1f32, 4, 16, float, float, float, ks_f32x4)
KS_MFMA(f32_32x32x2f32, 32, 1, float, float, float, ks_f32x16)
KS_MFMA(f32_16x16x4f32, 16, 1, float, float, float, ks_f32x4)
KS_MFMA(f32_32x32x4f16, 32, 2, _Float16, float, ks_f16x4, ks_f32x32)
KS_MFMA(f32_16x16x4f16, 16, 4, _Float16, float, ks_f16x4, ks_f32x16)
KS_MFMA(f32_4x4x4f16, 4, 16, _Float16, float, ks_f16x4, ks_f32x4)
KS_MFMA(f32_32x32x8f16, 32, 1, _Float16, float, ks_f16x4, ks_f32x16)
KS_MFMA(f32_16x16x16f16, 16, 1, _Float16, float, ks_f16x4, ks_f32x4)
KS_MFMA(f32_32x32x4bf16, 32, 1, short, float, ks_i16x2, ks_f32x16)
KS_MFMA(f32_16x16x8bf16, 16, 1, short, float, ks_i16x2, ks_f32x4)
KS_MFMA(f32_32x32x4bf16_1k, 32, 2, short, float, ks_i16x4, ks_f32x32)
KS_MFMA(f32_16x16x4bf16_1k, 16, 4, short, float, ks_i16x4, ks_f32x16)
KS_MFMA(f32_4x4x4bf16_1k, 4, 16, short, float, ks_i16x4, ks_f32x4)
KS_MFMA(f32_32x32x8bf16_1k, 32, 1, short, float, ks_i16x4, ks_f32x16)
KS_MFMA(f32_16x16x16bf16_1k, 16, 1, short, float, ks_i16x4, ks_f32x4)
KS_MFMA(i32_32x32x4i8, 32, 2, signed char, int, int, ks_i32x32)
KS_MFMA(i32_16x16x4i8, 16, 4, signed char, int, int, ks_i32x16)
KS_MFMA(i32_4x4x4i8, 4, 16, signed char, int, int, ks_i32x4)
KS_MFMA(i32_32x32x8i8, 32, 1, signed char, int, int, ks_i32x16)
KS_MFMA(i32_16x16x16i8, 16, 1, signed char, int, int, ks_i32x4)
KS_MFMA(i32_32x32x16_i8, 32, 1, signed char, int, long, ks_i32x16)
KS_MFMA(i32_16x16x32_i8, 16, 1, signed char, int, long, ks_i32x4)
KS_MFMA(f64_16x16x4f64, 16, 1, double, double, double, ks_f64x4)
#undef KS_MFMA
KS_RUNTIME_END
