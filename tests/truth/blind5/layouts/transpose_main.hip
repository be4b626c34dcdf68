//: defect rows-of-the-result-have-the-old-length: out-of-bounds|race|own-check
//- out[x * height + y] = tile[threadIdx.x][threadIdx.y];
//+ out[x * width + y] = tile[threadIdx.x][threadIdx.y];
#include <hip/hip_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define TILE 16

template <typename T>
__global__ void transpose(const T *in, T *out, int width, int height) {
  __shared__ T tile[TILE][TILE + 1];
  int x = blockIdx.x * TILE + threadIdx.x;
  int y = blockIdx.y * TILE + threadIdx.y;
  if (x < width && y < height) tile[threadIdx.y][threadIdx.x] = in[y * width + x];
  __syncthreads();
  x = blockIdx.x * TILE + threadIdx.y;
  y = blockIdx.y * TILE + threadIdx.x;
  if (x < width && y < height) out[x * height + y] = tile[threadIdx.x][threadIdx.y];
}

int main() {
  const int width = 83, height = 45;
  const size_t bytes = width * height * sizeof(short);
  short *in = (short *)malloc(bytes), *out = (short *)malloc(bytes);
  for (int i = 0; i < width * height; i++) in[i] = (short)i;
  short *d_in, *d_out;
  hipMalloc((void **)&d_in, bytes);
  hipMalloc((void **)&d_out, bytes);
  hipMemcpy(d_in, in, bytes, hipMemcpyHostToDevice);
  dim3 threads(TILE, TILE);
  dim3 blocks((width + TILE - 1) / TILE, (height + TILE - 1) / TILE);
  transpose<short><<<blocks, threads>>>(d_in, d_out, width, height);
  hipMemcpy(out, d_out, bytes, hipMemcpyDeviceToHost);
  int bad = 0;
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) bad += out[x * height + y] != in[y * width + x];
  hipFree(d_in);
  hipFree(d_out);
  free(in);
  free(out);
  printf("%s\n", bad ? "FAILED" : "PASSED");
  return bad != 0;
}
