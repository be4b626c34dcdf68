//: defect parents-are-not-set: uninitialised-read
//- own_parent<<<grid(vertices_), kBlock>>>(parent_, vertices_);
//+
//: defect trees-are-hooked-without-atomics: race|order-dependent
//- const int old = atomicMin(&parent[v], u);
//+ const int old = parent[v];
//+     parent[v] = min(old, u);
//: defect last-edge-is-one-too-far: out-of-bounds
//- if (e < edges) unite(parent, edge[e].x, edge[e].y);
//+ if (e <= edges) unite(parent, edge[e].x, edge[e].y);
#include <cuda_runtime.h>

#include <iostream>
#include <vector>

constexpr int kBlock = 96;

__device__ int load(int* place) { return atomicAdd(place, 0); }

__device__ int find(int* parent, int x) {
  int up = load(parent + x);
  while (up != x) {
    x = up;
    up = load(parent + x);
  }
  return x;
}

__device__ void unite(int* parent, int u, int v) {
  while (true) {
    u = find(parent, u);
    v = find(parent, v);
    if (u == v) return;
    if (u > v) {
      const int swap = u;
      u = v;
      v = swap;
    }
    const int old = atomicMin(&parent[v], u);
    if (old == v) return;
    v = old;
  }
}

__global__ void own_parent(int* parent, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) parent[i] = i;
}

__global__ void link_edges(int* parent, const int2* edge, int edges) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e < edges) unite(parent, edge[e].x, edge[e].y);
}

__global__ void flatten(int* parent, int* label, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) label[i] = find(parent, i);
}

class Components {
 public:
  explicit Components(int vertices) : vertices_(vertices) {
    cudaMalloc(&parent_, vertices * sizeof(int));
    cudaMalloc(&label_, vertices * sizeof(int));
  }
  ~Components() {
    cudaFree(parent_);
    cudaFree(label_);
  }
  std::vector<int> label(const std::vector<int2>& edges) {
    int2* d_edges;
    cudaMalloc(&d_edges, edges.size() * sizeof(int2));
    cudaMemcpy(d_edges, edges.data(), edges.size() * sizeof(int2), cudaMemcpyHostToDevice);
    own_parent<<<grid(vertices_), kBlock>>>(parent_, vertices_);
    link_edges<<<grid(int(edges.size())), kBlock>>>(parent_, d_edges, int(edges.size()));
    flatten<<<4, kBlock>>>(parent_, label_, vertices_);
    std::vector<int> labels(vertices_);
    cudaMemcpy(labels.data(), label_, vertices_ * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_edges);
    return labels;
  }

 private:
  static int grid(int n) { return (n + kBlock - 1) / kBlock; }
  int vertices_;
  int* parent_ = nullptr;
  int* label_ = nullptr;
};

int main() {
  std::vector<int2> edges;
  for (int i = 0; i < 500; ++i) edges.push_back(make_int2(i * 7 % 400, i * 14 % 400));
  Components components(400);
  std::cout << components.label(edges)[399] << std::endl;
  return 0;
}
