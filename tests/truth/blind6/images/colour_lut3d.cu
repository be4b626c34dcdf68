//: defect highest-colour-has-an-upper-neighbour: out-of-bounds
//- const int b1 = min(b0 + 1, size - 1);
//+ const int b1 = b0 + 1;
#include <cuda_runtime.h>

struct Lut3d {
  const float3* entries;  // size * size * size, red counts fastest
  int size;
};

__device__ inline float3 mix(float3 a, float3 b, float t) {
  return make_float3(a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t, a.z + (b.z - a.z) * t);
}

__global__ void apply_lut_kernel(const uchar3* pixels, float3* result, int count, Lut3d lut) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const int size = lut.size;
  const float r = pixels[i].x / 255.f * (size - 1);
  const float g = pixels[i].y / 255.f * (size - 1);
  const float b = pixels[i].z / 255.f * (size - 1);
  const int r0 = (int)r, g0 = (int)g, b0 = (int)b;
  const int r1 = min(r0 + 1, size - 1);
  const int g1 = min(g0 + 1, size - 1);
  const int b1 = min(b0 + 1, size - 1);
  const float3* e = lut.entries;
  const float3 low = mix(mix(e[(b0 * size + g0) * size + r0], e[(b0 * size + g0) * size + r1], r - r0),
                         mix(e[(b0 * size + g1) * size + r0], e[(b0 * size + g1) * size + r1], r - r0), g - g0);
  const float3 high = mix(mix(e[(b1 * size + g0) * size + r0], e[(b1 * size + g0) * size + r1], r - r0),
                          mix(e[(b1 * size + g1) * size + r0], e[(b1 * size + g1) * size + r1], r - r0), g - g0);
  result[i] = mix(low, high, b - b0);
}

// Maps a host image through a host table; both results and table are triples of floats.
bool apply_lut(const uchar3* pixels, float3* result, int count, const float3* table, int size) {
  const size_t entries = (size_t)size * size * size;
  uchar3* d_pixels = nullptr;
  float3 *d_result = nullptr, *d_table = nullptr;
  bool ok = cudaMalloc((void**)&d_pixels, count * sizeof(uchar3)) == cudaSuccess &&
            cudaMalloc((void**)&d_result, count * sizeof(float3)) == cudaSuccess &&
            cudaMalloc((void**)&d_table, entries * sizeof(float3)) == cudaSuccess;
  if (ok) {
    cudaMemcpy(d_pixels, pixels, count * sizeof(uchar3), cudaMemcpyHostToDevice);
    cudaMemcpy(d_table, table, entries * sizeof(float3), cudaMemcpyHostToDevice);
    Lut3d lut = {d_table, size};
    apply_lut_kernel<<<(count + 127) / 128, 128>>>(d_pixels, d_result, count, lut);
    cudaMemcpy(result, d_result, count * sizeof(float3), cudaMemcpyDeviceToHost);
    ok = cudaGetLastError() == cudaSuccess;
  }
  cudaFree(d_pixels);
  cudaFree(d_result);
  cudaFree(d_table);
  return ok;
}
