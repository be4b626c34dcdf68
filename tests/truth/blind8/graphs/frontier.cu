//: defect a-vertex-is-found-by-several: race|out-of-bounds
//- if (atomicCAS(&level[to], UNSEEN, depth + 1) == UNSEEN) {
//+ if (level[to] == UNSEEN) {
//+         level[to] = depth + 1;
#include <cstdio>
#include <vector>

#include <cuda_runtime.h>

#define UNSEEN -1

__global__ void expand(const int *begins, const int *targets, const int *frontier, int count, int *level, int depth,
                       int *next, int *next_count) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    const int from = frontier[i];
    for (int edge = begins[from]; edge < begins[from + 1]; ++edge) {
      const int to = targets[edge];
      if (atomicCAS(&level[to], UNSEEN, depth + 1) == UNSEEN) {
        next[atomicAdd(next_count, 1)] = to;
      }
    }
  }
}

int main() {
  // a grid in which each vertex has two ways from the corner
  const int side = 20, vertices = side * side;
  std::vector<int> begins(1, 0), targets, level(vertices, UNSEEN);
  for (int v = 0; v < vertices; ++v) {
    if (v % side + 1 < side) targets.push_back(v + 1);
    if (v / side + 1 < side) targets.push_back(v + side);
    begins.push_back((int)targets.size());
  }
  level[0] = 0;
  int *d_begins, *d_targets, *d_level, *d_frontier, *d_next, *d_count;
  cudaMalloc(&d_begins, begins.size() * sizeof(int));
  cudaMalloc(&d_targets, targets.size() * sizeof(int));
  cudaMalloc(&d_level, vertices * sizeof(int));
  cudaMalloc(&d_frontier, vertices * sizeof(int));
  cudaMalloc(&d_next, vertices * sizeof(int));
  cudaMalloc(&d_count, sizeof(int));
  cudaMemcpy(d_begins, begins.data(), begins.size() * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(d_targets, targets.data(), targets.size() * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(d_level, level.data(), vertices * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemset(d_frontier, 0, sizeof(int));
  int count = 1;
  for (int depth = 0; count > 0; ++depth) {
    cudaMemset(d_count, 0, sizeof(int));
    expand<<<2, 32>>>(d_begins, d_targets, d_frontier, count, d_level, depth, d_next, d_count);
    cudaMemcpy(&count, d_count, sizeof(int), cudaMemcpyDeviceToHost);
    std::swap(d_frontier, d_next);
  }
  cudaMemcpy(level.data(), d_level, vertices * sizeof(int), cudaMemcpyDeviceToHost);
  printf("farthest vertex: %d\n", level[vertices - 1]);
  for (int *each : {d_begins, d_targets, d_level, d_frontier, d_next, d_count}) cudaFree(each);
  return 0;
}
