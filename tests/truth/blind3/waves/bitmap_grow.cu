//: defect carry-is-shifted-by-the-whole-word: shift
//- const unsigned from_right = w + 1 < words ? row[w + 1] << 31 : 0u;
//+ const unsigned from_right = w + 1 < words ? row[w + 1] << (32 - (w & 0)) : 0u;
//: defect first-word-has-a-left-neighbour: out-of-bounds
//- const unsigned from_left = w > 0 ? row[w - 1] >> 31 : 0u;
//+ const unsigned from_left = row[w - 1] >> 31;
//: defect grown-rows-are-written-in-place: race|order-dependent
//- grow_bits<<<grid, 64>>>(source, target, words);
//+ grow_bits<<<grid, 64>>>(source, source, words);
#include <cuda_runtime.h>

// Sets each bit that has a neighbour in its row.
__global__ void grow_bits(const unsigned* source, unsigned* target, int words) {
  const int w = blockIdx.x * blockDim.x + threadIdx.x;
  if (w >= words) return;
  const unsigned* row = source + (size_t)blockIdx.y * words;
  const unsigned here = row[w];
  const unsigned from_left = w > 0 ? row[w - 1] >> 31 : 0u;
  const unsigned from_right = w + 1 < words ? row[w + 1] << 31 : 0u;
  target[(size_t)blockIdx.y * words + w] = here | here << 1 | here >> 1 | from_left | from_right;
}

// Both bitmaps are on the device.
void grow_bitmap(unsigned* source, unsigned* target, int words, int rows) {
  if (words <= 0 || rows <= 0) return;
  const dim3 grid((words + 63) / 64, rows);
  grow_bits<<<grid, 64>>>(source, target, words);
}
