//: defect without-syncwarp: race
//- __syncwarp();
//-     if (lane < step) part[lane] += part[lane + step];
//+ if (lane < step) part[lane] += part[lane + step];
//: defect reads-and-writes-at-once: race
//- if (lane < step) part[lane] += part[lane + step];
//+ part[lane] += part[(lane + step) % 32];
#include <cuda_runtime.h>

__global__ void reduce_by_warp(const int *in, int *out, int n) {
  __shared__ int parts[4][32];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int *part = parts[warp];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  part[lane] = i < n ? in[i] : 0;
  for (int step = 16; step > 0; step /= 2) {
    __syncwarp();
    if (lane < step) part[lane] += part[lane + step];
  }
  if (lane == 0 && i < n) out[i / 32] = part[0];
}

void reduce(const int *host, int *result, int n) {
  int *d_in, *d_out;
  cudaMalloc(&d_in, n * sizeof(int));
  cudaMalloc(&d_out, (n + 31) / 32 * sizeof(int));
  cudaMemcpy(d_in, host, n * sizeof(int), cudaMemcpyHostToDevice);
  reduce_by_warp<<<(n + 127) / 128, 128>>>(d_in, d_out, n);
  cudaMemcpy(result, d_out, (n + 31) / 32 * sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(d_in);
  cudaFree(d_out);
}
