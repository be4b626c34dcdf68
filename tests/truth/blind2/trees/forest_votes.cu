//: defect votes-are-not-cleared: uninitialised-read
//- int votes[CLASSES] = {0};
//+ int votes[CLASSES];
//: defect one-tree-too-many: out-of-bounds
//- for (int tree = 0; tree < trees; ++tree) {
//+ for (int tree = 0; tree <= trees; ++tree) {
//: defect a-class-behind-the-votes: array-bounds|out-of-bounds
//- ++votes[row[node % features] > 0.5f ? node % CLASSES : 0];
//+ ++votes[row[node % features] > 0.5f ? node % CLASSES + 1 : 0];
#include <cuda_runtime.h>

#define CLASSES 6
#define DEPTH 4
#define NODES ((1 << DEPTH) - 1)

// Trees are complete: node k has the children 2k + 1 and 2k + 2.
__global__ void forest_votes(const float* __restrict__ samples, const float* __restrict__ thresholds,
                             int* __restrict__ labels, int count, int features, int trees) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i >= count) return;
  const float* row = samples + (size_t)i * features;
  int votes[CLASSES] = {0};
  for (int tree = 0; tree < trees; ++tree) {
    int node = 0;
    while (node < NODES) {
      const float threshold = thresholds[tree * NODES + node];
      node = 2 * node + (row[node % features] < threshold ? 1 : 2);
    }
    ++votes[row[node % features] > 0.5f ? node % CLASSES : 0];
  }
  int best = 0;
  for (int c = 1; c < CLASSES; ++c) {
    if (votes[c] > votes[best]) best = c;
  }
  labels[i] = best;
}

bool classify(const float* host_samples, const float* host_thresholds, int* host_labels, int count, int features,
              int trees) {
  if (count <= 0 || features <= 0 || trees < 0) return false;
  float *samples, *thresholds;
  int* labels;
  const size_t sample_bytes = sizeof(float) * count * features;
  const size_t tree_bytes = sizeof(float) * trees * NODES;
  if (cudaMalloc((void**)&samples, sample_bytes) || cudaMalloc((void**)&thresholds, tree_bytes) ||
      cudaMalloc((void**)&labels, sizeof(int) * count)) {
    return false;
  }
  cudaMemcpy(samples, host_samples, sample_bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(thresholds, host_thresholds, tree_bytes, cudaMemcpyHostToDevice);
  const dim3 block(96);
  const dim3 grid((count + block.x - 1) / block.x);
  forest_votes<<<grid, block>>>(samples, thresholds, labels, count, features, trees);
  cudaMemcpy(host_labels, labels, sizeof(int) * count, cudaMemcpyDeviceToHost);
  cudaFree(samples);
  cudaFree(thresholds);
  cudaFree(labels);
  return true;
}
