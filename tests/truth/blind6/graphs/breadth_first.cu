//: defect neighbours-are-taken-without-a-claim: race|order-dependent|out-of-bounds
//- if (atomicCAS(&levels[neighbour], -1, level + 1) == -1) next[atomicAdd(next_count, 1)] = neighbour;
//+ if (levels[neighbour] == -1) {
//+       levels[neighbour] = level + 1;
//+       next[atomicAdd(next_count, 1)] = neighbour;
//+     }
#include <cuda_runtime.h>

#include <cstdio>
#include <queue>
#include <utility>
#include <vector>

__global__ void expandFrontier(const int *offsets, const int *targets, int *levels, const int *frontier, int count,
                               int *next, int *next_count, int level) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= count) return;
  const int node = frontier[t];
  for (int e = offsets[node]; e < offsets[node + 1]; ++e) {
    const int neighbour = targets[e];
    if (atomicCAS(&levels[neighbour], -1, level + 1) == -1) next[atomicAdd(next_count, 1)] = neighbour;
  }
}

int main() {
  const int nodes = 90;
  std::vector<int> offsets(1, 0), targets;
  for (int v = 0; v < nodes; ++v) {
    for (int k = 1; k <= 4; ++k) targets.push_back((v * 3 + k * k) % nodes);
    offsets.push_back((int)targets.size());
  }
  std::vector<int> levels(nodes, -1), expected(nodes, -1);
  levels[0] = 0;

  int *d_offsets, *d_targets, *d_levels, *d_frontier, *d_next, *d_count;
  cudaMalloc(&d_offsets, offsets.size() * sizeof(int));
  cudaMalloc(&d_targets, targets.size() * sizeof(int));
  cudaMalloc(&d_levels, nodes * sizeof(int));
  cudaMalloc(&d_frontier, nodes * sizeof(int));
  cudaMalloc(&d_next, nodes * sizeof(int));
  cudaMalloc(&d_count, sizeof(int));
  cudaMemcpy(d_offsets, offsets.data(), offsets.size() * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(d_targets, targets.data(), targets.size() * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(d_levels, levels.data(), nodes * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemset(d_frontier, 0, sizeof(int));
  int count = 1;
  for (int level = 0; count > 0; ++level) {
    cudaMemset(d_count, 0, sizeof(int));
    expandFrontier<<<(count + 31) / 32, 32>>>(d_offsets, d_targets, d_levels, d_frontier, count, d_next, d_count, level);
    cudaMemcpy(&count, d_count, sizeof(int), cudaMemcpyDeviceToHost);
    std::swap(d_frontier, d_next);
  }
  cudaMemcpy(levels.data(), d_levels, nodes * sizeof(int), cudaMemcpyDeviceToHost);

  std::queue<int> queue;
  queue.push(0);
  expected[0] = 0;
  while (!queue.empty()) {
    const int v = queue.front();
    queue.pop();
    for (int e = offsets[v]; e < offsets[v + 1]; ++e) {
      if (expected[targets[e]] != -1) continue;
      expected[targets[e]] = expected[v] + 1;
      queue.push(targets[e]);
    }
  }
  for (int v = 0; v < nodes; ++v) {
    if (levels[v] != expected[v]) {
      std::fprintf(stderr, "node %d: level %d, should be %d\n", v, levels[v], expected[v]);
      return 1;
    }
  }
  std::printf("levels are right\n");
  return 0;
}
