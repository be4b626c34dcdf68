//: defect a-ray-may-leave-through-the-top: out-of-bounds
//- if (x < 0 || x >= SIDE || y < 0 || y >= SIDE || z < 0 || z >= SIDE) break;
//+ if (x < 0 || x >= SIDE || y < 0 || y >= SIDE || z < 0) break;
#include <hip/hip_runtime.h>

#include <cstdio>
#include <vector>

constexpr int SIDE = 12;

struct Ray {
  float x, y, z, dx, dy, dz;
};

// The density that a ray meets on its way from voxel to voxel.
__global__ void walk(const unsigned char* density, const Ray* rays, int* sums, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const Ray ray = rays[i];
  int x = (int)ray.x, y = (int)ray.y, z = (int)ray.z;
  const int sx = ray.dx < 0 ? -1 : 1, sy = ray.dy < 0 ? -1 : 1, sz = ray.dz < 0 ? -1 : 1;
  const float wx = 1.f / fabsf(ray.dx), wy = 1.f / fabsf(ray.dy), wz = 1.f / fabsf(ray.dz);
  float tx = (sx > 0 ? x + 1 - ray.x : ray.x - x) * wx;
  float ty = (sy > 0 ? y + 1 - ray.y : ray.y - y) * wy;
  float tz = (sz > 0 ? z + 1 - ray.z : ray.z - z) * wz;
  int sum = 0;
  for (int step = 0; step < 3 * SIDE; ++step) {
    if (x < 0 || x >= SIDE || y < 0 || y >= SIDE || z < 0 || z >= SIDE) break;
    sum += density[(z * SIDE + y) * SIDE + x];
    if (tx <= ty && tx <= tz) {
      x += sx;
      tx += wx;
    } else if (ty <= tz) {
      y += sy;
      ty += wy;
    } else {
      z += sz;
      tz += wz;
    }
  }
  sums[i] = sum;
}

#define CHECK(call)                                                  \
  if ((call) != hipSuccess) {                                        \
    fprintf(stderr, "%s:%d: %s failed\n", __FILE__, __LINE__, #call); \
    return 1;                                                        \
  }

int main() {
  const int count = 150;
  std::vector<unsigned char> density(SIDE * SIDE * SIDE);
  for (size_t i = 0; i < density.size(); ++i) density[i] = i * 7 % 11;
  std::vector<Ray> rays(count);
  for (int i = 0; i < count; ++i)
    rays[i] = {i % 11 + 0.5f, i * 5 % 11 + 0.25f, i * 3 % 11 + 0.75f, i % 2 ? 0.6f : -0.5f, i % 3 ? 0.3f : -0.7f, i % 5 ? 0.9f : -0.2f};
  unsigned char* d_density;
  Ray* d_rays;
  int* d_sums;
  CHECK(hipMalloc(&d_density, density.size()));
  CHECK(hipMalloc(&d_rays, count * sizeof(Ray)));
  CHECK(hipMalloc(&d_sums, count * sizeof(int)));
  CHECK(hipMemcpy(d_density, density.data(), density.size(), hipMemcpyHostToDevice));
  CHECK(hipMemcpy(d_rays, rays.data(), count * sizeof(Ray), hipMemcpyHostToDevice));
  walk<<<(count + 63) / 64, 64>>>(d_density, d_rays, d_sums, count);
  CHECK(hipGetLastError());
  std::vector<int> sums(count);
  CHECK(hipMemcpy(sums.data(), d_sums, count * sizeof(int), hipMemcpyDeviceToHost));
  long total = 0;
  for (int sum : sums) total += sum;
  printf("met %ld\n", total);
  CHECK(hipFree(d_density));
  CHECK(hipFree(d_rays));
  CHECK(hipFree(d_sums));
  return 0;
}
