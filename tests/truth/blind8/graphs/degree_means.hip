//: defect a-node-without-edges-is-divided-by-its-degree: divide-by-zero
//- means[node] = degree == 0 ? 0 : sum / degree;
//+ means[node] = sum / degree;
#include <hip/hip_runtime.h>

#include <cstdio>
#include <vector>

// the mean of what a node's neighbours hold, in whole units
__global__ void neighbour_means(const int* begins, const int* neighbours, const int* values, int* means, int nodes) {
  const int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes) return;
  const int degree = begins[node + 1] - begins[node];
  int sum = 0;
  for (int i = begins[node]; i < begins[node + 1]; ++i) sum += values[neighbours[i]];
  means[node] = degree == 0 ? 0 : sum / degree;
}

int main() {
  const int nodes = 100;
  std::vector<int> begins(1, 0), neighbours, values(nodes), means(nodes);
  for (int node = 0; node < nodes; ++node) {
    values[node] = node * 3 % 17;
    for (int other = 0; other < node % 5; ++other) neighbours.push_back((node * 7 + other * 11) % nodes);
    begins.push_back(static_cast<int>(neighbours.size()));
  }
  int *d_begins, *d_neighbours, *d_values, *d_means;
  hipMalloc(&d_begins, begins.size() * sizeof(int));
  hipMalloc(&d_neighbours, neighbours.size() * sizeof(int));
  hipMalloc(&d_values, nodes * sizeof(int));
  hipMalloc(&d_means, nodes * sizeof(int));
  hipMemcpy(d_begins, begins.data(), begins.size() * sizeof(int), hipMemcpyHostToDevice);
  hipMemcpy(d_neighbours, neighbours.data(), neighbours.size() * sizeof(int), hipMemcpyHostToDevice);
  hipMemcpy(d_values, values.data(), nodes * sizeof(int), hipMemcpyHostToDevice);
  hipLaunchKernelGGL(neighbour_means, dim3((nodes + 63) / 64), dim3(64), 0, 0, d_begins, d_neighbours, d_values, d_means,
                     nodes);
  hipMemcpy(means.data(), d_means, nodes * sizeof(int), hipMemcpyDeviceToHost);
  long checksum = 0;
  for (int mean : means) checksum = checksum * 31 % 1000003 + mean;
  printf("checksum %ld\n", checksum);
  hipFree(d_begins);
  hipFree(d_neighbours);
  hipFree(d_values);
  hipFree(d_means);
  return 0;
}
