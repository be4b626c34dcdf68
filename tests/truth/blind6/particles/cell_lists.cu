//: defect place-at-the-far-edge-has-a-cell-of-its-own: out-of-bounds
//- const int c = min((int)(x / edge), cells - 1);
//+ const int c = (int)(x / edge);
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

#define CUDA_CALL(x)                                                              \
  do {                                                                            \
    cudaError_t e = (x);                                                          \
    if (e != cudaSuccess) {                                                       \
      printf("CUDA error %s at line %d\n", cudaGetErrorString(e), __LINE__);      \
      exit(EXIT_FAILURE);                                                         \
    }                                                                             \
  } while (0)

__device__ int cell_of(float x, float edge, int cells) {
  const int c = min((int)(x / edge), cells - 1);
  return c;
}

__global__ void count_cells(const float* positions, int* counts, int n, float edge, int cells) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    atomicAdd(&counts[cell_of(positions[i], edge, cells)], 1);
}

int main() {
  const int n = 333, cells = 12;
  const float length = 6.0f, edge = length / cells;
  float* positions = (float*)malloc(n * sizeof(float));
  int expected[12] = {0}, counts[12];
  for (int i = 0; i < n; i++) {
    // periodic wrapping of tiny negative places rounds up to the length of the box
    float x = i == 100 ? -1e-9f : fmodf(i * 0.77f, length);
    if (x < 0) x += length;
    positions[i] = x;
    int c = (int)(x / edge);
    if (c == cells) c--;
    expected[c]++;
  }
  float* d_positions;
  int* d_counts;
  CUDA_CALL(cudaMalloc(&d_positions, n * sizeof(float)));
  CUDA_CALL(cudaMalloc(&d_counts, cells * sizeof(int)));
  CUDA_CALL(cudaMemcpy(d_positions, positions, n * sizeof(float), cudaMemcpyHostToDevice));
  CUDA_CALL(cudaMemset(d_counts, 0, cells * sizeof(int)));
  count_cells<<<2, 64>>>(d_positions, d_counts, n, edge, cells);
  CUDA_CALL(cudaGetLastError());
  CUDA_CALL(cudaDeviceSynchronize());
  CUDA_CALL(cudaMemcpy(counts, d_counts, sizeof(counts), cudaMemcpyDeviceToHost));
  for (int c = 0; c < cells; c++) {
    if (counts[c] != expected[c]) {
      printf("cell %d holds %d, not %d: FAIL\n", c, counts[c], expected[c]);
      return 1;
    }
  }
  CUDA_CALL(cudaFree(d_positions));
  CUDA_CALL(cudaFree(d_counts));
  free(positions);
  printf("PASS\n");
  return 0;
}
