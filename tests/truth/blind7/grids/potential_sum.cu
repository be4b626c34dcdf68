//: defect potential-begins-with-rubbish: uninitialised-read
//- float potential = 0.f;
//+ float potential;
/* Coulomb potential of point charges on a plane of a grid. */

struct Charge {
  float x, y, z, q;
};

__constant__ Charge charges[256];

__global__ void potential_plane(float *plane, int width, int height, float spacing, float z, int count) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float potential = 0.f;
  for (int i = 0; i < count; ++i) {
    const float dx = x * spacing - charges[i].x, dy = y * spacing - charges[i].y, dz = z - charges[i].z;
    potential += charges[i].q * rsqrtf(dx * dx + dy * dy + dz * dz + 1e-6f);
  }
  plane[y * width + x] = potential;
}
