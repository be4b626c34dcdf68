//: defect shares-are-added-without-atomics: race
//- atomicAdd(&next[targets[e]], share);
//+ next[targets[e]] += share;
//: defect nodes-are-as-many-as-offsets: out-of-bounds
//- const int nodes = (int)graph.offsets.size() - 1;
//+ const int nodes = (int)graph.offsets.size();
#include <cuda_runtime.h>

#include <vector>

struct Graph {
  std::vector<int> offsets;  // one more than there are nodes
  std::vector<int> targets;
};

__global__ void push_ranks(const int* offsets, const int* targets, const float* ranks, float* next, int nodes,
                           float damping) {
  const int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes) return;
  const int begin = offsets[node], end = offsets[node + 1];
  if (begin == end) return;
  const float share = damping * ranks[node] / (end - begin);
  for (int e = begin; e < end; ++e) atomicAdd(&next[targets[e]], share);
}

template <typename T>
T* upload(const std::vector<T>& values) {
  T* memory = nullptr;
  cudaMalloc(&memory, values.size() * sizeof(T));
  cudaMemcpy(memory, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice);
  return memory;
}

std::vector<float> pagerank(const Graph& graph, int rounds, float damping) {
  const int nodes = (int)graph.offsets.size() - 1;
  std::vector<float> ranks(nodes, 1.0f / nodes);
  int* offsets = upload(graph.offsets);
  int* targets = upload(graph.targets);
  float* current = upload(ranks);
  float* next = nullptr;
  cudaMalloc(&next, nodes * sizeof(float));
  const std::vector<float> base(nodes, (1 - damping) / nodes);
  for (int round = 0; round < rounds; ++round) {
    cudaMemcpy(next, base.data(), nodes * sizeof(float), cudaMemcpyHostToDevice);
    push_ranks<<<(nodes + 127) / 128, 128>>>(offsets, targets, current, next, nodes, damping);
    std::swap(current, next);
  }
  cudaMemcpy(ranks.data(), current, nodes * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(offsets);
  cudaFree(targets);
  cudaFree(current);
  cudaFree(next);
  return ranks;
}

int main() {
  Graph graph{{0, 2, 3, 3, 6, 7}, {1, 3, 3, 0, 1, 2, 3}};
  const std::vector<float> ranks = pagerank(graph, 4, 0.85f);
  float sum = 0;
  for (float rank : ranks) sum += rank;
  return sum > 0 && sum < 1.01f ? 0 : 1;
}
