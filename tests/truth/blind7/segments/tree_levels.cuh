//: defect children-begin-one-later: out-of-bounds
//- const int left = 2 * node + 1, right = 2 * node + 2;
//+ const int left = 2 * node + 2, right = 2 * node + 3;
#ifndef TREE_LEVELS_CUH
#define TREE_LEVELS_CUH

namespace trees {

// Sums of the nodes of one level of a full binary tree, whose root is node 0, from the level below.
template <typename Value>
__global__ void sum_level(Value *tree, int first, int count) {
  const int place = blockIdx.x * blockDim.x + threadIdx.x;
  if (place >= count) return;
  const int node = first + place;
  const int left = 2 * node + 1, right = 2 * node + 2;
  tree[node] = tree[left] + tree[right];
}

// Sums a tree with as many levels, the lowest of which is filled.
template <typename Value>
void sum_tree(Value *tree, int levels) {
  for (int level = levels - 2; level >= 0; --level) {
    const int count = 1 << level;
    sum_level<<<(count + 31) / 32, 32>>>(tree, count - 1, count);
  }
}

}  // namespace trees

#endif
//: file totals.cu
#include <cstdio>
#include <vector>

#include <cuda_runtime.h>

#include "tree_levels.cuh"

int main() {
  const int levels = 7, nodes = (1 << levels) - 1, leaves = 1 << (levels - 1);
  std::vector<double> tree(nodes, 0.0);
  for (int i = 0; i < leaves; ++i) tree[leaves - 1 + i] = 1.0 / (i + 1);
  double *device;
  cudaMalloc(&device, nodes * sizeof(double));
  cudaMemcpy(device, tree.data(), nodes * sizeof(double), cudaMemcpyHostToDevice);
  trees::sum_tree(device, levels);
  double total;
  cudaMemcpy(&total, device, sizeof(double), cudaMemcpyDeviceToHost);
  std::printf("total %f\n", total);
  cudaFree(device);
}
