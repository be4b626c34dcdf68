//: defect second-visit-clears-the-bit: own-check
//- atomicOr(&bits[v >> 5], 1u << (v & 31));
//+ atomicXor(&bits[v >> 5], 1u << (v & 31));
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void mark_visited(const uint32_t* edges, int edge_count, uint32_t* bits) {
  const int e = blockDim.x * blockIdx.x + threadIdx.x;
  if (e >= edge_count) return;
  const uint32_t v = edges[e];
  atomicOr(&bits[v >> 5], 1u << (v & 31));
}

static bool verify(const std::vector<uint32_t>& edges, const std::vector<uint32_t>& bits, uint32_t vertices) {
  std::vector<bool> visited(vertices, false);
  for (uint32_t v : edges) visited[v] = true;
  for (uint32_t v = 0; v < vertices; ++v) {
    if (visited[v] != bool(bits[v / 32] >> (v % 32) & 1)) {
      std::fprintf(stderr, "vertex %u is wrong\n", v);
      return false;
    }
  }
  return true;
}

int main() {
  const uint32_t vertices = 320;
  std::vector<uint32_t> edges(700), bits(vertices / 32);
  for (size_t e = 0; e < edges.size(); ++e) edges[e] = (e * e * 5 + e) % vertices;
  uint32_t *d_edges, *d_bits;
  cudaMalloc(&d_edges, edges.size() * 4);
  cudaMalloc(&d_bits, bits.size() * 4);
  cudaMemset(d_bits, 0, bits.size() * 4);
  cudaMemcpy(d_edges, edges.data(), edges.size() * 4, cudaMemcpyHostToDevice);
  mark_visited<<<(edges.size() + 127) / 128, 128>>>(d_edges, edges.size(), d_bits);
  cudaMemcpy(bits.data(), d_bits, bits.size() * 4, cudaMemcpyDeviceToHost);
  cudaFree(d_edges);
  cudaFree(d_bits);
  if (!verify(edges, bits, vertices)) std::exit(1);
  std::printf("%zu edges\n", edges.size());
}
