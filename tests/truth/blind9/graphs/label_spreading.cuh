//: defect flag-is-lowered-while-others-still-ask: race|divergent-barrier
//- const bool goes_on = changed;
//-     __syncthreads();
//-     if (!goes_on) break;
//+ if (!changed) break;
#pragma once

#include <cuda_runtime.h>

// The least number of each connected part of a small graph, which one block spreads until nothing changes.
// `sources` and `targets` name edges in both directions; `labels` has a place for each node.
inline constexpr int kSpreadThreads = 128;

__global__ void spread_labels(const int* __restrict__ sources, const int* __restrict__ targets, int edges, int* labels,
                              int nodes) {
  __shared__ int changed;
  for (int node = threadIdx.x; node < nodes; node += blockDim.x) labels[node] = node;
  while (true) {
    if (threadIdx.x == 0) changed = 0;
    __syncthreads();
    for (int edge = threadIdx.x; edge < edges; edge += blockDim.x) {
      const int from = sources[edge], to = targets[edge];
      if (from < 0 || from >= nodes || to < 0 || to >= nodes) continue;
      const int label = atomicAdd(&labels[from], 0);
      if (atomicMin(&labels[to], label) > label) atomicExch(&changed, 1);
    }
    __syncthreads();
    const bool goes_on = changed;
    __syncthreads();
    if (!goes_on) break;
  }
}

inline cudaError_t spread(const int* sources, const int* targets, int edges, int* labels, int nodes, cudaStream_t stream) {
  if (nodes <= 0) return cudaSuccess;
  spread_labels<<<1, kSpreadThreads, 0, stream>>>(sources, targets, edges, labels, nodes);
  return cudaGetLastError();
}
