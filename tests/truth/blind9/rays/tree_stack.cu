//: defect stack-is-as-deep-as-the-tree-is-balanced: array-bounds|out-of-bounds
//- int stack[NODES];
//+ int stack[4];
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define NODES 31
#define RAYS 200

struct Node {
  float low, high;
  int left, right; /* -1: a leaf */
};

/* how many leaves' intervals hold each ray's place */
__global__ void count_hits(const struct Node *nodes, const float *places, int *hits, int rays) {
  const int ray = blockIdx.x * blockDim.x + threadIdx.x;
  if (ray >= rays) return;
  const float place = places[ray];
  int stack[NODES];
  int depth = 0, count = 0;
  stack[depth++] = 0;
  while (depth > 0) {
    const struct Node node = nodes[stack[--depth]];
    if (place < node.low || place > node.high) continue;
    if (node.left < 0) {
      ++count;
      continue;
    }
    stack[depth++] = node.left;
    stack[depth++] = node.right;
  }
  hits[ray] = count;
}

int main(void) {
  struct Node nodes[NODES];
  /* a chain to the right: each inner node has a leaf and the rest */
  for (int i = 0; i < NODES; i += 2) {
    nodes[i].low = 0.f, nodes[i].high = 100.f;
    nodes[i].left = i + 2 < NODES ? i + 1 : -1;
    nodes[i].right = i + 2 < NODES ? i + 2 : -1;
    if (i + 1 < NODES) {
      nodes[i + 1].low = i, nodes[i + 1].high = i + 40.f;
      nodes[i + 1].left = nodes[i + 1].right = -1;
    }
  }
  float places[RAYS];
  int hits[RAYS];
  for (int i = 0; i < RAYS; ++i) places[i] = i * 0.5f;
  struct Node *d_nodes;
  float *d_places;
  int *d_hits;
  cudaMalloc((void **)&d_nodes, sizeof nodes);
  cudaMalloc((void **)&d_places, sizeof places);
  cudaMalloc((void **)&d_hits, sizeof hits);
  cudaMemcpy(d_nodes, nodes, sizeof nodes, cudaMemcpyHostToDevice);
  cudaMemcpy(d_places, places, sizeof places, cudaMemcpyHostToDevice);
  count_hits<<<(RAYS + 63) / 64, 64>>>(d_nodes, d_places, d_hits, RAYS);
  cudaMemcpy(hits, d_hits, sizeof hits, cudaMemcpyDeviceToHost);
  int total = 0;
  for (int i = 0; i < RAYS; ++i) total += hits[i];
  printf("%d hits\n", total);
  cudaFree(d_nodes);
  cudaFree(d_places);
  cudaFree(d_hits);
  return 0;
}
