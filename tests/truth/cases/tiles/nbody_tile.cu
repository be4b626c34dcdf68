//: defect forgets-the-barrier-behind-the-loop: race
//- __syncthreads();  // used
//+
//: defect bodies-are-not-guarded: out-of-bounds
//- tile[threadIdx.x] = j < n ? bodies[j] : make_float4(0, 0, 0, 0);
//+ tile[threadIdx.x] = bodies[j];
//: defect an-uninitialised-acceleration: uninitialised-read
//- float3 acc = {0.0f, 0.0f, 0.0f};
//+ float3 acc;
#include <cuda_runtime.h>

#define BLOCK 128

__global__ void body_forces(const float4 *bodies, float3 *accelerations, int n) {
  __shared__ float4 tile[BLOCK];
  int i = blockIdx.x * BLOCK + threadIdx.x;
  float4 me = i < n ? bodies[i] : make_float4(0, 0, 0, 0);
  float3 acc = {0.0f, 0.0f, 0.0f};
  for (int start = 0; start < n; start += BLOCK) {
    int j = start + threadIdx.x;
    tile[threadIdx.x] = j < n ? bodies[j] : make_float4(0, 0, 0, 0);
    __syncthreads();
    for (int k = 0; k < BLOCK; k++) {
      float dx = tile[k].x - me.x, dy = tile[k].y - me.y, dz = tile[k].z - me.z;
      float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
      float s = tile[k].w * inverse * inverse * inverse;
      acc.x += dx * s;
      acc.y += dy * s;
      acc.z += dz * s;
    }
    __syncthreads();  // used
  }
  if (i < n) accelerations[i] = acc;
}

void forces(const float4 *host, float3 *result, int n) {
  float4 *d_bodies;
  float3 *d_accelerations;
  cudaMalloc(&d_bodies, n * sizeof(float4));
  cudaMalloc(&d_accelerations, n * sizeof(float3));
  cudaMemcpy(d_bodies, host, n * sizeof(float4), cudaMemcpyHostToDevice);
  body_forces<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(d_bodies, d_accelerations, n);
  cudaMemcpy(result, d_accelerations, n * sizeof(float3), cudaMemcpyDeviceToHost);
  cudaFree(d_bodies);
  cudaFree(d_accelerations);
}
