// Warp matrix functions on tensor cores, over clang's own builtins.
// Rule: CUDA C++ Programming Guide, "Warp Matrix Functions"; registers a fragment as PTX ISA tells them for `wmma`.
#pragma once
#include <kernelset/cuda.cuh>

namespace nvcuda {
namespace wmma {
struct matrix_a {};
struct matrix_b {};
struct accumulator {};
struct row_major {};
struct col_major {};
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32 {};
}  // namespace precision

template <typename Layout> inline constexpr int ks_layout = 0;
template <> inline constexpr int ks_layout<col_major> = 1;

template <typename T, int N> struct __align__(8) ks_elements {
  enum { num_elements = N, num_storage_elements = N };
  T x[N];
};
template <typename Use, int M, int N, int K, typename T, typename Layout = void> class fragment;

#define KS_FRAGMENTS(M, N, K, T, STORED, A, B)                                                                      \
  template <typename L> class fragment<matrix_a, M, N, K, T, L> : public ks_elements<STORED, A> {};                 \
  template <typename L> class fragment<matrix_b, M, N, K, T, L> : public ks_elements<STORED, B> {};
#define KS_LOAD(USE, M, N, K, T, P, LOAD)                                                                           \
  template <typename L>                                                                                            \
  __device__ inline void load_matrix_sync(fragment<USE, M, N, K, T, L> &f, const P *p, unsigned int stride) {       \
    LOAD((int *)f.x, (const int *)p, stride, ks_layout<L>);                                                         \
  }
#define KS_ACCUMULATOR(M, N, K, T, R, SUFFIX)                                                                       \
  template <> class fragment<accumulator, M, N, K, T> : public ks_elements<T, 8> {};                                \
  __device__ inline void load_matrix_sync(fragment<accumulator, M, N, K, T> &f, const T *p, unsigned int stride,    \
                                          layout_t layout) {                                                       \
    if (layout == mem_row_major) __##SUFFIX((R *)f.x, (const R *)p, stride, 0);                                     \
    else __##SUFFIX((R *)f.x, (const R *)p, stride, 1);                                                             \
  }
#define KS_STORE(M, N, K, T, R, STORE)                                                                              \
  __device__ inline void store_matrix_sync(T *p, const fragment<accumulator, M, N, K, T> &f, unsigned int stride,   \
                                           layout_t layout) {                                                      \
    if (layout == mem_row_major) STORE((R *)p, (const R *)f.x, stride, 0);                                          \
    else STORE((R *)p, (const R *)f.x, stride, 1);                                                                  \
  }
// clang wants the layouts of a product as one literal: 0 row row, 1 row column, 2 column row, 3 column column
#define KS_MMA(M, N, K, T, D, C, RD, RC, MMA)                                                                       \
  template <typename LA, typename LB>                                                                              \
  __device__ inline void mma_sync(fragment<accumulator, M, N, K, D> &d,                                             \
                                  const fragment<matrix_a, M, N, K, T, LA> &a,                                      \
                                  const fragment<matrix_b, M, N, K, T, LB> &b,                                      \
                                  const fragment<accumulator, M, N, K, C> &c, bool = false) {                       \
    MMA((RD *)d.x, (const int *)a.x, (const int *)b.x, (const RC *)c.x, ks_layout<LA> * 2 + ks_layout<LB>, 0);      \
  }

#define KS_HALF(M, N, K, SHAPE)                                                                                     \
  KS_FRAGMENTS(M, N, K, __half, __half, 16, 16)                                                                     \
  KS_LOAD(matrix_a, M, N, K, __half, __half, __hmma_##SHAPE##_ld_a)                                                 \
  KS_LOAD(matrix_b, M, N, K, __half, __half, __hmma_##SHAPE##_ld_b)                                                 \
  KS_ACCUMULATOR(M, N, K, __half, int, hmma_##SHAPE##_ld_c_f16)                                                     \
  KS_ACCUMULATOR(M, N, K, float, float, hmma_##SHAPE##_ld_c_f32)                                                    \
  KS_STORE(M, N, K, __half, int, __hmma_##SHAPE##_st_c_f16)                                                         \
  KS_STORE(M, N, K, float, float, __hmma_##SHAPE##_st_c_f32)                                                        \
  KS_MMA(M, N, K, __half, float, float, float, float, __hmma_##SHAPE##_mma_f32f32)                                  \
  KS_MMA(M, N, K, __half, __half, __half, int, int, __hmma_##SHAPE##_mma_f16f16)                                    \
  KS_MMA(M, N, K, __half, float, __half, float, int, __hmma_##SHAPE##_mma_f32f16)                                   \
  KS_MMA(M, N, K, __half, __half, float, int, float, __hmma_##SHAPE##_mma_f16f32)
KS_HALF(16, 16, 16, m16n16k16)
KS_HALF(32, 8, 16, m32n8k16)
KS_HALF(8, 32, 16, m8n32k16)

#define KS_BFLOAT16(M, N, K, SHAPE, A, B)                                                                           \
  KS_FRAGMENTS(M, N, K, __nv_bfloat16, __nv_bfloat16, A, B)                                                         \
  KS_LOAD(matrix_a, M, N, K, __nv_bfloat16, __nv_bfloat16, __mma_bf16_##SHAPE##_ld_a)                               \
  KS_LOAD(matrix_b, M, N, K, __nv_bfloat16, __nv_bfloat16, __mma_bf16_##SHAPE##_ld_b)                               \
  KS_MMA(M, N, K, __nv_bfloat16, float, float, float, float, __mma_bf16_##SHAPE##_mma_f32)
KS_BFLOAT16(16, 16, 16, m16n16k16, 8, 8)
KS_BFLOAT16(32, 8, 16, m32n8k16, 16, 4)
KS_BFLOAT16(8, 32, 16, m8n32k16, 4, 16)

#define KS_INTEGER(M, N, K, SHAPE, A, B)                                                                            \
  KS_FRAGMENTS(M, N, K, signed char, signed char, A, B)                                                             \
  KS_FRAGMENTS(M, N, K, unsigned char, unsigned char, A, B)                                                         \
  KS_LOAD(matrix_a, M, N, K, signed char, signed char, __imma_##SHAPE##_ld_a_s8)                                    \
  KS_LOAD(matrix_b, M, N, K, signed char, signed char, __imma_##SHAPE##_ld_b_s8)                                    \
  KS_LOAD(matrix_a, M, N, K, unsigned char, unsigned char, __imma_##SHAPE##_ld_a_u8)                                \
  KS_LOAD(matrix_b, M, N, K, unsigned char, unsigned char, __imma_##SHAPE##_ld_b_u8)                                \
  KS_ACCUMULATOR(M, N, K, int, int, imma_##SHAPE##_ld_c)                                                            \
  KS_STORE(M, N, K, int, int, __imma_##SHAPE##_st_c_i32)                                                            \
  KS_MMA(M, N, K, signed char, int, int, int, int, __imma_##SHAPE##_mma_s8)                                         \
  KS_MMA(M, N, K, unsigned char, int, int, int, int, __imma_##SHAPE##_mma_u8)
KS_INTEGER(16, 16, 16, m16n16k16, 8, 8)
KS_INTEGER(32, 8, 16, m32n8k16, 16, 4)
KS_INTEGER(8, 32, 16, m8n32k16, 4, 16)

KS_FRAGMENTS(16, 16, 8, precision::tf32, float, 4, 4)
KS_LOAD(matrix_a, 16, 16, 8, precision::tf32, float, __mma_tf32_m16n16k8_ld_a)
KS_LOAD(matrix_b, 16, 16, 8, precision::tf32, float, __mma_tf32_m16n16k8_ld_b)
template <> class fragment<accumulator, 16, 16, 8, float> : public ks_elements<float, 8> {};
__device__ inline void load_matrix_sync(fragment<accumulator, 16, 16, 8, float> &f, const float *p, unsigned int stride,
                                        layout_t layout) {
  if (layout == mem_row_major) __mma_tf32_m16n16k8_ld_c(f.x, p, stride, 0);
  else __mma_tf32_m16n16k8_ld_c(f.x, p, stride, 1);
}
KS_STORE(16, 16, 8, float, float, __mma_m16n16k8_st_c_f32)
KS_MMA(16, 16, 8, precision::tf32, float, float, float, float, __mma_tf32_m16n16k8_mma_f32)

__device__ inline float __float_to_tf32(float x) {
  return __builtin_bit_cast(float, (__builtin_bit_cast(unsigned int, x) + 0x1000u) & 0xffffe000u);
}
template <typename Use, int M, int N, int K, typename T, typename L, typename V>
__device__ inline void fill_fragment(fragment<Use, M, N, K, T, L> &f, const V &value) {
  for (auto &one : f.x) one = value;
}

// numbers of less than a byte; shapes are 8 by 8, by 32 of four bits, by 128 of one
namespace experimental {
namespace precision {
struct u4 {};
struct s4 {};
struct b1 {};
}  // namespace precision
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
}  // namespace experimental
template <> class fragment<accumulator, 8, 8, 32, int> : public ks_elements<int, 2> {};
template <> class fragment<accumulator, 8, 8, 128, int> : public ks_elements<int, 2> {};
#define KS_SMALL(K, T, SUFFIX)                                                                                      \
  template <> class fragment<matrix_a, 8, 8, K, experimental::precision::T, row_major> : public ks_elements<int, 1> {}; \
  template <> class fragment<matrix_b, 8, 8, K, experimental::precision::T, col_major> : public ks_elements<int, 1> {}; \
  __device__ inline void load_matrix_sync(fragment<matrix_a, 8, 8, K, experimental::precision::T, row_major> &f,    \
                                          const void *p, unsigned int stride) {                                     \
    __imma_m8n8k32_ld_a_##SUFFIX(f.x, (const int *)p, stride, 0);                                                   \
  }                                                                                                                 \
  __device__ inline void load_matrix_sync(fragment<matrix_b, 8, 8, K, experimental::precision::T, col_major> &f,    \
                                          const void *p, unsigned int stride) {                                     \
    __imma_m8n8k32_ld_b_##SUFFIX(f.x, (const int *)p, stride, 1);                                                   \
  }                                                                                                                 \
  __device__ inline void mma_sync(fragment<accumulator, 8, 8, K, int> &d,                                           \
                                  const fragment<matrix_a, 8, 8, K, experimental::precision::T, row_major> &a,      \
                                  const fragment<matrix_b, 8, 8, K, experimental::precision::T, col_major> &b,      \
                                  const fragment<accumulator, 8, 8, K, int> &c, bool = false) {                     \
    __imma_m8n8k32_mma_##SUFFIX(d.x, a.x, b.x, c.x, 1, 0);                                                          \
  }
KS_SMALL(32, s4, s4)
KS_SMALL(32, u4, u4)
template <> class fragment<matrix_a, 8, 8, 128, experimental::precision::b1, row_major> : public ks_elements<int, 1> {};
template <> class fragment<matrix_b, 8, 8, 128, experimental::precision::b1, col_major> : public ks_elements<int, 1> {};
__device__ inline void load_matrix_sync(fragment<matrix_a, 8, 8, 128, experimental::precision::b1, row_major> &f,
                                        const void *p, unsigned int stride) {
  __bmma_m8n8k128_ld_a_b1(f.x, (const int *)p, stride, 0);
}
__device__ inline void load_matrix_sync(fragment<matrix_b, 8, 8, 128, experimental::precision::b1, col_major> &f,
                                        const void *p, unsigned int stride) {
  __bmma_m8n8k128_ld_b_b1(f.x, (const int *)p, stride, 1);
}
__device__ inline void bmma_sync(fragment<accumulator, 8, 8, 128, int> &d,
                                 const fragment<matrix_a, 8, 8, 128, experimental::precision::b1, row_major> &a,
                                 const fragment<matrix_b, 8, 8, 128, experimental::precision::b1, col_major> &b,
                                 const fragment<accumulator, 8, 8, 128, int> &c,
                                 experimental::bmmaBitOp op = experimental::bmmaBitOpXOR,
                                 experimental::bmmaAccumulateOp = experimental::bmmaAccumulateOpPOPC) {
  if (op == experimental::bmmaBitOpXOR) __bmma_m8n8k128_mma_xor_popc_b1(d.x, a.x, b.x, c.x, 1);
  else __bmma_m8n8k128_mma_and_popc_b1(d.x, a.x, b.x, c.x, 1);
}
#define KS_SMALL_ACCUMULATOR(K, LOAD, STORE)                                                                        \
  __device__ inline void load_matrix_sync(fragment<accumulator, 8, 8, K, int> &f, const int *p, unsigned int stride, \
                                          layout_t layout) {                                                       \
    if (layout == mem_row_major) LOAD(f.x, p, stride, 0);                                                           \
    else LOAD(f.x, p, stride, 1);                                                                                   \
  }                                                                                                                 \
  __device__ inline void store_matrix_sync(int *p, const fragment<accumulator, 8, 8, K, int> &f, unsigned int stride, \
                                           layout_t layout) {                                                      \
    if (layout == mem_row_major) STORE(p, f.x, stride, 0);                                                          \
    else STORE(p, f.x, stride, 1);                                                                                  \
  }
KS_SMALL_ACCUMULATOR(32, __imma_m8n8k32_ld_c, __imma_m8n8k32_st_c_i32)
KS_SMALL_ACCUMULATOR(128, __bmma_m8n8k128_ld_c, __bmma_m8n8k128_st_c_i32)
#undef KS_SMALL
#undef KS_SMALL_ACCUMULATOR
#undef KS_FRAGMENTS
#undef KS_LOAD
#undef KS_ACCUMULATOR
#undef KS_STORE
#undef KS_MMA
#undef KS_HALF
#undef KS_BFLOAT16
#undef KS_INTEGER
}  // namespace wmma
}  // namespace nvcuda
