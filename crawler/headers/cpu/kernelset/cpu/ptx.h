// What inline assembly of PTX becomes on a CPU: the same functions as in HIP, but for shared memory and ordered access.
#pragma once
#include <cstring>
#include <limits>
#include <type_traits>

#ifndef __HIP_MEMORY_SCOPE_AGENT
#define __HIP_MEMORY_SCOPE_WORKGROUP 3
#define __HIP_MEMORY_SCOPE_AGENT 4
#define __HIP_MEMORY_SCOPE_SYSTEM 5
#endif
#define __builtin_amdgcn_endpgm() ::kernelset::find_and_end(::kernelset::Kind::unsupported, __builtin_LINE())

namespace kernelset::ptx {
__device__ inline unsigned lane() { return own_lane(); }
}  // namespace kernelset::ptx

#define __lane_id ::kernelset::ptx::lane
#include "../../../hip/kernelset/hip_ptx.h"
#undef __lane_id

// what the functions below, and the calls of them, say in HIP's words
#ifndef __HIP__
#define __hip_bfloat16 __nv_bfloat16
#define __hip_bfloat162 __nv_bfloat162
#endif
#include "../../../hip/kernelset/hip_ptx_block.h"
// the threads of a block are fibers of one thread
#define KS_CARRY_WORDS static thread_local
#include "../../../hip/kernelset/hip_ptx_carry.h"

#define __lane_id ::kernelset::ptx::lane
#include "../../../hip/kernelset/hip_ptx_memory.h"
#undef __lane_id

namespace kernelset {
// what no rule translates: whoever comes here is told, all others run
[[noreturn]] inline void unserved(unsigned line = __builtin_LINE()) { find_and_end(Kind::unsupported, line); }
}  // namespace kernelset

namespace kernelset::ptx {

// the matrices of 8 by 8 halves whose rows the lanes point at, 8 lanes a matrix
template <int count, bool transposed>
__device__ inline void load_matrices(unsigned address, unsigned* to) {
  const unsigned lane = lane_id(), row = lane / 4, pair = lane % 4;
  for (unsigned at = 0; at < count; ++at) {
    unsigned short halves[2];
    for (unsigned which = 0; which < 2; ++which) {
      const unsigned of = transposed ? 2 * pair + which : row, column = transposed ? row : 2 * pair + which;
      const unsigned begin = __shfl_sync(~0u, address, static_cast<int>(8 * at + of));
      halves[which] = load_shared<unsigned short>(begin + 2 * column);
    }
    to[at] = halves[0] | unsigned(halves[1]) << 16;
  }
}

struct Half {
  static constexpr int bits = 16;
  using Sum = float;
  static float value(unsigned word, int at) { return half_value(static_cast<unsigned short>(word >> 16 * at)); }
};
struct Bfloat16 {
  static constexpr int bits = 16;
  using Sum = float;
  static float value(unsigned word, int at) { return as<float>((word >> 16 * at) << 16); }
};
struct Tf32 {
  static constexpr int bits = 32;
  using Sum = float;
  static float value(unsigned word, int) { return as<float>(word & ~0x1fffu); }
};
struct Signed8 {
  static constexpr int bits = 8;
  using Sum = int;
  static int value(unsigned word, int at) { return static_cast<signed char>(word >> 8 * at); }
};
struct Unsigned8 {
  static constexpr int bits = 8;
  using Sum = int;
  static int value(unsigned word, int at) { return static_cast<unsigned char>(word >> 8 * at); }
};

// D = A B + C of 16 by 8, `depth` deep, as the lanes hold it: four lanes a row of A and a column of B
// Rule: PTX ISA, "Matrix Fragments for mma".
template <class Of, int depth>
__device__ inline void multiply(typename Of::Sum (&d)[4], const unsigned* a, const unsigned* b, const typename Of::Sum (&c)[4]) {
  constexpr int per_word = 32 / Of::bits, words = depth / (4 * per_word);  // words of B, and of each row of A
  const unsigned lane = lane_id();
  typename Of::Sum sums[4] = {c[0], c[1], c[2], c[3]};
  for (int of = 0; of < 4; ++of) {
    unsigned rows[2 * words], columns[2][words];
    for (int at = 0; at < 2 * words; ++at) rows[at] = __shfl_sync(~0u, a[at], static_cast<int>(lane / 4 * 4) + of);
    for (int at = 0; at < words; ++at) {
      for (int which = 0; which < 2; ++which) {
        columns[which][at] = __shfl_sync(~0u, b[at], static_cast<int>(lane % 4 * 2 + which) * 4 + of);
      }
    }
    for (int at = 0; at < words; ++at) {
      for (int part = 0; part < per_word; ++part) {
        for (int which = 0; which < 4; ++which) {
          sums[which] += Of::value(rows[2 * at + which / 2], part) * Of::value(columns[which % 2][at], part);
        }
      }
    }
  }
  for (int which = 0; which < 4; ++which) d[which] = sums[which];
}
// The same where of each row of A half is there, and two bits tell which of four elements each one is, of tf32 which two of
// four halves: of bytes every lane of four holds such bits, of others the two that are selected.
// Rule: PTX ISA, "Sparse matrix storage".
template <class Of, int depth>
__device__ inline void multiply(
    typename Of::Sum (&d)[4], const unsigned* a, const unsigned* b, const typename Of::Sum (&c)[4], unsigned told, unsigned selected
) {
  constexpr int per_word = 32 / Of::bits, words = depth / (4 * per_word);  // words of B, and of two rows of A
  const unsigned lane = lane_id();
  const int first = static_cast<int>(lane / 4 * 4);
  unsigned columns[2][words][4];
  for (int at = 0; at < words; ++at) {
    for (int of = 0; of < 8; ++of) {
      columns[of / 4][at][of % 4] = __shfl_sync(~0u, b[at], static_cast<int>(lane % 4 * 2 + of / 4) * 4 + of % 4);
    }
  }
  unsigned long long where[2];
  for (int row = 0; row < 2; ++row) {
    const int from = first + (Of::bits == 8 ? row : 2 * static_cast<int>(selected & 1));
    const unsigned long long low = __shfl_sync(~0u, told, from), high = __shfl_sync(~0u, told, from + (Of::bits == 8 ? 2 : 1));
    where[row] = Of::bits == 8 ? low | high << 32 : (low >> 16 * row & 0xffff) | (high >> 16 * row & 0xffff) << 16;
  }
  typename Of::Sum sums[4] = {c[0], c[1], c[2], c[3]};
  for (int at = 0; at < words; ++at) {
    for (int of = 0; of < 4; ++of) {
      const int row = at % 2;
      const unsigned held = __shfl_sync(~0u, a[at], first + of);
      for (int part = 0; part < per_word; ++part) {
        const int number = (at / 2 * 4 + of) * per_word + part;
        const int k = per_word == 1 ? 2 * number + static_cast<int>(where[row] >> (4 * number + 1) & 1)
                                    : number / 2 * 4 + static_cast<int>(where[row] >> 2 * number & 3);
        for (int column = 0; column < 2; ++column) {
          const unsigned other = columns[column][k / (4 * per_word)][k / per_word % 4];
          sums[2 * row + column] += Of::value(held, part) * Of::value(other, k % per_word);
        }
      }
    }
  }
  for (int which = 0; which < 4; ++which) d[which] = sums[which];
}
template <int depth, class... Where>
__device__ inline void multiply_to_halves(
    unsigned (&d)[2], const unsigned* a, const unsigned* b, const unsigned (&c)[2], Where... where
) {
  const float before[4] = {Half::value(c[0], 0), Half::value(c[0], 1), Half::value(c[1], 0), Half::value(c[1], 1)};
  float sums[4];
  multiply<Half, depth>(sums, a, b, before, where...);
  for (int at = 0; at < 2; ++at) {
    const _Float16 pair[2] = {(_Float16)sums[2 * at], (_Float16)sums[2 * at + 1]};
    __builtin_memcpy(&d[at], pair, sizeof(pair));
  }
}
// of 8 rows, or of 16: a lane holds as many rows of A as it holds pairs of sums
template <int rows, int depth>
__device__ inline void multiply_doubles(double (&d)[2 * rows], const double* a, const double* b, const double* c) {
  const int lane = static_cast<int>(lane_id());
  double sums[2 * rows];
  for (int which = 0; which < 2 * rows; ++which) sums[which] = c[which];
  for (int of = 0; of < 4; ++of) {
    for (int at = 0; at < depth / 4; ++at) {
      double row[rows], column[2];
      for (int which = 0; which < rows; ++which) row[which] = __shfl_sync(~0u, a[rows * at + which], lane / 4 * 4 + of);
      for (int which = 0; which < 2; ++which) column[which] = __shfl_sync(~0u, b[at], (lane % 4 * 2 + which) * 4 + of);
      for (int which = 0; which < 2 * rows; ++which) sums[which] += row[which / 2] * column[which % 2];
    }
  }
  for (int which = 0; which < 2 * rows; ++which) d[which] = sums[which];
}

}  // namespace kernelset::ptx
