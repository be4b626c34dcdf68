//: defect forces-of-shared-nodes-collide: race
//- atomicAdd(&forces[a].x, fx);
//+ forces[a].x += fx;
//: defect second-end-is-taken-from-the-next-spring: out-of-bounds
//- const int b = springs[s].y;
//+ const int b = springs[s + 1].y;
#include <cuda_runtime.h>

#include <vector>

__global__ void add_spring_forces(const float2* positions, const int2* springs, float2* forces, int count,
                                  float stiffness, float rest) {
  const int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= count) return;
  const int a = springs[s].x;
  const int b = springs[s].y;
  const float dx = positions[b].x - positions[a].x, dy = positions[b].y - positions[a].y;
  const float length = sqrtf(dx * dx + dy * dy) + 1e-6f;
  const float pull = stiffness * (length - rest) / length;
  const float fx = pull * dx, fy = pull * dy;
  atomicAdd(&forces[a].x, fx);
  atomicAdd(&forces[a].y, fy);
  atomicAdd(&forces[b].x, -fx);
  atomicAdd(&forces[b].y, -fy);
}

int main(int argc, char** argv) {
  const int nodes = 50;
  std::vector<float2> positions(nodes);
  std::vector<int2> springs;
  for (int i = 0; i < nodes; ++i) {
    positions[i] = make_float2(0.5f * i, (i % 3) * 0.25f);
    for (int j = i + 1; j < nodes && j < i + 4; ++j) springs.push_back(make_int2(i, j));
  }
  const int count = (int)springs.size();
  float2 *d_positions, *d_forces;
  int2* d_springs;
  cudaMalloc(&d_positions, nodes * sizeof(float2));
  cudaMalloc(&d_forces, nodes * sizeof(float2));
  cudaMalloc(&d_springs, count * sizeof(int2));
  cudaMemcpy(d_positions, positions.data(), nodes * sizeof(float2), cudaMemcpyHostToDevice);
  cudaMemcpy(d_springs, springs.data(), count * sizeof(int2), cudaMemcpyHostToDevice);
  cudaMemset(d_forces, 0, nodes * sizeof(float2));
  add_spring_forces<<<(count + 63) / 64, 64>>>(d_positions, d_springs, d_forces, count, 10.f, 0.4f);
  std::vector<float2> forces(nodes);
  cudaMemcpy(forces.data(), d_forces, nodes * sizeof(float2), cudaMemcpyDeviceToHost);
  cudaFree(d_positions);
  cudaFree(d_forces);
  cudaFree(d_springs);
  return forces[0].x > 0 ? 0 : 1;
}
