//: defect depths-are-compared-as-integers: own-check
//- unsigned bits = __float_as_uint(value);
//-   return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
//+ return __float_as_uint(value);
#include <hip/hip_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <vector>

// Bits that are ordered as the numbers are.
__host__ __device__ inline float from_ordered(unsigned bits) {
  bits = bits & 0x80000000u ? bits & 0x7fffffffu : ~bits;
  float value;
  memcpy(&value, &bits, sizeof(value));
  return value;
}

__device__ inline unsigned to_ordered(float value) {
  unsigned bits = __float_as_uint(value);
  return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

__global__ void lowest_depths(const float* depths, const int* cells, unsigned* lowest, int points) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < points) atomicMin(lowest + cells[i], to_ordered(depths[i]));
}

int main() {
  constexpr int points = 500, cell_count = 24;
  std::vector<float> depths(points), expected(cell_count, std::numeric_limits<float>::max());
  std::vector<int> cells(points);
  for (int i = 0; i < points; ++i) {
    depths[i] = (i * 613 % 997) / 100.f - 4.f;
    cells[i] = i * 11 % cell_count;
    expected[cells[i]] = std::min(expected[cells[i]], depths[i]);
  }
  float* d_depths;
  int* d_cells;
  unsigned* d_lowest;
  (void)hipMalloc(&d_depths, sizeof(float) * points);
  (void)hipMalloc(&d_cells, sizeof(int) * points);
  (void)hipMalloc(&d_lowest, sizeof(unsigned) * cell_count);
  (void)hipMemcpy(d_depths, depths.data(), sizeof(float) * points, hipMemcpyHostToDevice);
  (void)hipMemcpy(d_cells, cells.data(), sizeof(int) * points, hipMemcpyHostToDevice);
  (void)hipMemset(d_lowest, 0xff, sizeof(unsigned) * cell_count);
  lowest_depths<<<dim3(2), dim3(256)>>>(d_depths, d_cells, d_lowest, points);
  std::vector<unsigned> lowest(cell_count);
  (void)hipMemcpy(lowest.data(), d_lowest, sizeof(unsigned) * cell_count, hipMemcpyDeviceToHost);
  for (int c = 0; c < cell_count; ++c) {
    if (from_ordered(lowest[c]) != expected[c]) {
      std::fprintf(stderr, "cell %d: got %f, want %f\n", c, from_ordered(lowest[c]), expected[c]);
      return EXIT_FAILURE;
    }
  }
  std::puts("all depths agree");
  return EXIT_SUCCESS;
}
