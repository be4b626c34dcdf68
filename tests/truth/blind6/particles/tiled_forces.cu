//: defect last-tile-is-taken-as-full: uninitialised-read|out-of-bounds
//- const int count = min((int)blockDim.x, n - begin);
//+ const int count = blockDim.x;
#include <cuda_runtime.h>

__global__ void body_forces(const float4* bodies, float3* forces, int n, float softening) {
  extern __shared__ float4 tile[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float4 me = i < n ? bodies[i] : make_float4(0.f, 0.f, 0.f, 0.f);
  float fx = 0.f, fy = 0.f, fz = 0.f;
  for (int begin = 0; begin < n; begin += blockDim.x) {
    if (begin + threadIdx.x < n) tile[threadIdx.x] = bodies[begin + threadIdx.x];
    __syncthreads();
    const int count = min((int)blockDim.x, n - begin);
    for (int j = 0; j < count; ++j) {
      const float dx = tile[j].x - me.x, dy = tile[j].y - me.y, dz = tile[j].z - me.z;
      const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + softening);
      const float s = tile[j].w * inverse * inverse * inverse;
      fx += dx * s;
      fy += dy * s;
      fz += dz * s;
    }
    __syncthreads();
  }
  if (i < n) forces[i] = make_float3(fx, fy, fz);
}

// Positions and masses to accelerations, both on the device.
void compute_forces(const float4* bodies, float3* forces, int n, float softening, cudaStream_t stream) {
  const int threads = 64;
  body_forces<<<(n + threads - 1) / threads, threads, threads * sizeof(float4), stream>>>(bodies, forces, n, softening);
}
