// Warp matrix functions on a CPU: the lanes of a warp meet, and the last computes for all.
// Rule: CUDA C++ Programming Guide, "Warp Matrix Functions"; which lane holds what of a fragment it leaves open.
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
// numbers of less than a byte, of which a CPU computes none
namespace experimental {
namespace precision {
struct u4 {};
struct s4 {};
struct b1 {};
}  // namespace precision
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
}  // namespace experimental

// how an element is stored, and how many of them: halves in factors are held as often as there is room in 16
template <typename T> struct ks_element {
  using type = T;
  static constexpr int packed = 1, least = 1;
};
template <> struct ks_element<__half> {
  using type = __half;
  static constexpr int packed = 1, least = 16;
};
template <> struct ks_element<precision::tf32> {
  using type = float;
  static constexpr int packed = 1, least = 1;
};
template <int many> struct ks_small {
  using type = int;
  static constexpr int packed = many, least = 1;
};
template <> struct ks_element<experimental::precision::u4> : ks_small<8> {};
template <> struct ks_element<experimental::precision::s4> : ks_small<8> {};
template <> struct ks_element<experimental::precision::b1> : ks_small<32> {};

template <typename Use, int M, int N, int K> struct ks_tile {
  static constexpr int rows = M, columns = N;
};
template <int M, int N, int K> struct ks_tile<matrix_a, M, N, K> {
  static constexpr int rows = M, columns = K;
};
template <int M, int N, int K> struct ks_tile<matrix_b, M, N, K> {
  static constexpr int rows = K, columns = N;
};
constexpr int ks_lanes = 32;

template <typename Use, int M, int N, int K, typename T, typename Layout = void> class fragment {
  using Element = ks_element<T>;
  static constexpr int once = ks_tile<Use, M, N, K>::rows * ks_tile<Use, M, N, K>::columns / Element::packed / ks_lanes;
  static constexpr int least = std::is_same<Use, accumulator>::value ? 1 : Element::least;

 public:
  enum { num_elements = once > least ? once : least, num_storage_elements = num_elements };
  typename Element::type x[num_elements];
};

// where the elements of a fragment lie in a tile, row by row: lane by lane, from the begin again behind the end
template <typename Use, int M, int N, int K, typename F> __device__ inline int ks_at(int lane, int number) {
  return (lane * F::num_elements + number) % (ks_tile<Use, M, N, K>::rows * ks_tile<Use, M, N, K>::columns);
}
template <typename Use, int M, int N, int K, typename F, typename P, typename Do>
__device__ inline void ks_each(F &f, P *p, unsigned int stride, bool by_rows, Do with) {
  const int lane = static_cast<int>(kernelset::lane_id());
  for (int number = 0; number < F::num_elements; ++number) {
    const int at = ks_at<Use, M, N, K, F>(lane, number), columns = ks_tile<Use, M, N, K>::columns;
    with(f.x[number], p[by_rows ? at / columns * stride + at % columns : at % columns * stride + at / columns]);
  }
}
template <typename Use, int M, int N, int K, typename T, typename L, typename P>
__device__ inline void load_matrix_sync(fragment<Use, M, N, K, T, L> &f, const P *p, unsigned int stride) {
  if constexpr (ks_element<T>::packed > 1) kernelset::find_and_end(kernelset::Kind::unsupported);
  else ks_each<Use, M, N, K>(f, p, stride, std::is_same<L, row_major>::value, [](auto &own, const P &there) { own = there; });
}
template <int M, int N, int K, typename T>
__device__ inline void load_matrix_sync(fragment<accumulator, M, N, K, T> &f, const T *p, unsigned int stride, layout_t layout) {
  ks_each<accumulator, M, N, K>(f, p, stride, layout == mem_row_major, [](T &own, const T &there) { own = there; });
}
template <int M, int N, int K, typename T>
__device__ inline void store_matrix_sync(T *p, const fragment<accumulator, M, N, K, T> &f, unsigned int stride, layout_t layout) {
  ks_each<accumulator, M, N, K>(f, p, stride, layout == mem_row_major, [](const T &own, T &there) { there = own; });
}
template <typename Use, int M, int N, int K, typename T, typename L, typename V>
__device__ inline void fill_fragment(fragment<Use, M, N, K, T, L> &f, const V &value) {
  for (auto &one : f.x) one = value;
}
__device__ inline float __float_to_tf32(float x) {
  return __builtin_bit_cast(float, (__builtin_bit_cast(unsigned int, x) + 0x1000u) & 0xffffe000u);
}

KS_RUNTIME_BEGIN
// what one lane brings to a product, and its sums
template <int M, int N, int K, typename A, typename B, typename D> struct ks_product {
  using Sum = std::conditional_t<std::is_same<D, int>::value || std::is_same<D, double>::value, D, float>;
  const A *a;
  const B *b;
  static constexpr int held = M * N / ks_lanes;
  Sum sums[held];

  template <typename Of> static Sum of(const Of &element) { return static_cast<Sum>(element); }
  static void work(kernelset::Warp &warp, kernelset::Lanes present) {
    const auto at = [&](int lane) { return reinterpret_cast<ks_product *>(warp.given[lane]); };
    for (int lane = 0; lane < ks_lanes; ++lane) {
      if (!(present >> lane & 1)) return kernelset::find_and_end(kernelset::Kind::inactive_lane, 0);
    }
    for (int place = 0; place < M * N; ++place) {
      Sum &sum = at(place / held)->sums[place % held];
      for (int deep = 0; deep < K; ++deep) {
        const int left = place / N * K + deep, right = deep * N + place % N;
        sum += of(at(left / A::num_elements)->a->x[left % A::num_elements]) *
               of(at(right / B::num_elements)->b->x[right % B::num_elements]);
      }
    }
  }
};
KS_RUNTIME_END
template <int M, int N, int K, typename T, typename D, typename C, typename LA, typename LB>
__device__ inline void mma_sync(fragment<accumulator, M, N, K, D> &d, const fragment<matrix_a, M, N, K, T, LA> &a,
                                const fragment<matrix_b, M, N, K, T, LB> &b, const fragment<accumulator, M, N, K, C> &c,
                                bool = false) {
  if constexpr (ks_element<T>::packed > 1) {
    kernelset::find_and_end(kernelset::Kind::unsupported);
  } else {
    using Product = ks_product<M, N, K, fragment<matrix_a, M, N, K, T, LA>, fragment<matrix_b, M, N, K, T, LB>, D>;
    if (warpSize != ks_lanes) kernelset::find_and_end(kernelset::Kind::unsupported);
    Product own = {&a, &b, {}};
    for (int at = 0; at < Product::held; ++at) own.sums[at] = Product::of(c.x[at]);
    kernelset::meet(kernelset::every_lane, &Product::work, reinterpret_cast<unsigned long long>(&own), 0, 0);
    for (int at = 0; at < Product::held; ++at) d.x[at] = static_cast<D>(own.sums[at]);
  }
}
template <typename D, typename A, typename B, typename C>
__device__ inline void bmma_sync(D &, const A &, const B &, const C &,
                                 experimental::bmmaBitOp = experimental::bmmaBitOpXOR,
                                 experimental::bmmaAccumulateOp = experimental::bmmaAccumulateOpPOPC) {
  kernelset::find_and_end(kernelset::Kind::unsupported);
}
}  // namespace wmma
}  // namespace nvcuda
