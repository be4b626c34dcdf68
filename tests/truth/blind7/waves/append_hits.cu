//: defect every-lane-takes-room: out-of-bounds
//- if (lane == leader) begin = atomicAdd(count, __popc(votes));
//+ begin = atomicAdd(count, __popc(votes));
#include <cstdio>
#include <vector>

#include <cuda_runtime.h>

struct Hit {
  int ray;
  float distance;
};

// Appends rays that hit something; the lanes of a warp take their places together.
__global__ void append_hits(const float *distances, int rays, float far_plane, Hit *hits, int *count) {
  const int ray = blockIdx.x * blockDim.x + threadIdx.x;
  const int lane = threadIdx.x % 32;
  const bool is_hit = ray < rays && distances[ray] < far_plane;
  const unsigned votes = __ballot_sync(0xffffffffu, is_hit);
  if (votes == 0) return;
  const int leader = __ffs(votes) - 1;
  int begin = 0;
  if (lane == leader) begin = atomicAdd(count, __popc(votes));
  begin = __shfl_sync(0xffffffffu, begin, leader);
  if (is_hit) {
    const int place = begin + __popc(votes & ((1u << lane) - 1));
    hits[place] = Hit{ray, distances[ray]};
  }
}

int main() {
  const int rays = 777;
  std::vector<float> distances(rays);
  for (int i = 0; i < rays; ++i) distances[i] = (i * 37 % 100) / 10.f;
  float *d_distances;
  Hit *d_hits;
  int *d_count;
  cudaMalloc(&d_distances, rays * sizeof(float));
  cudaMalloc(&d_hits, rays * sizeof(Hit));
  cudaMalloc(&d_count, sizeof(int));
  cudaMemcpy(d_distances, distances.data(), rays * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemset(d_count, 0, sizeof(int));
  append_hits<<<(rays + 255) / 256, 256>>>(d_distances, rays, 5.f, d_hits, d_count);
  int count = 0;
  cudaMemcpy(&count, d_count, sizeof(int), cudaMemcpyDeviceToHost);
  std::vector<Hit> hits(count);
  cudaMemcpy(hits.data(), d_hits, count * sizeof(Hit), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (const Hit &hit : hits) sum += hit.distance;
  std::printf("%d hits, %f\n", count, sum);
  return 0;
}
