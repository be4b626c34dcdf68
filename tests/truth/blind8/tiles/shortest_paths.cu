//: defect all-paths-through-a-tile-are-taken-at-once: race
//- const int candidate = tile[y][k] + tile[k][x];
//-     __syncthreads();
//-     if (candidate < tile[y][x]) tile[y][x] = candidate;
//-     __syncthreads();
//+ const int candidate = tile[y][k] + tile[k][x];
//+     if (candidate < tile[y][x]) tile[y][x] = candidate;
#include <cstdio>
#include <cstdlib>

#include <cuda_runtime.h>

#define SIDE 16
#define FAR 100000

// the first phase of a blocked all-pairs search, and the whole of it for graphs of 16 nodes
__global__ void relax_tile(int *distances, int stride, int tile_number) {
  __shared__ int tile[SIDE][SIDE];
  const int x = threadIdx.x, y = threadIdx.y;
  int *corner = distances + (size_t)tile_number * SIDE * (stride + 1);
  tile[y][x] = corner[y * stride + x];
  __syncthreads();
  for (int k = 0; k < SIDE; ++k) {
    const int candidate = tile[y][k] + tile[k][x];
    __syncthreads();
    if (candidate < tile[y][x]) tile[y][x] = candidate;
    __syncthreads();
  }
  corner[y * stride + x] = tile[y][x];
}

int main() {
  const int stride = 48;
  int *distances = (int *)malloc(stride * stride * sizeof(int)), *on_device;
  srand(4);
  for (int i = 0; i < stride * stride; ++i) distances[i] = i / stride == i % stride ? 0 : rand() % 4 ? FAR : 1 + rand() % 9;
  cudaMalloc(&on_device, stride * stride * sizeof(int));
  cudaMemcpy(on_device, distances, stride * stride * sizeof(int), cudaMemcpyHostToDevice);
  for (int t = 0; t < stride / SIDE; ++t) relax_tile<<<1, dim3(SIDE, SIDE)>>>(on_device, stride, t);
  cudaMemcpy(distances, on_device, stride * stride * sizeof(int), cudaMemcpyDeviceToHost);
  long total = 0;
  for (int i = 0; i < SIDE; ++i) total += distances[i] < FAR ? distances[i] : 0;
  printf("reached from the first node: %ld\n", total);
  cudaFree(on_device);
  free(distances);
  return 0;
}
