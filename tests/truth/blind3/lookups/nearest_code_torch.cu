//: defect last-tile-is-taken-as-full: uninitialised-read
//- const int here = min(TILE, codes - base);
//+ const int here = TILE;
//: defect tile-is-replaced-while-it-is-read: race
//- __syncthreads();  // nobody needs this tile any more
//+
#include <torch/extension.h>

#define TILE 16
#define WIDTH 4

// For each vector the nearest entry of a codebook that goes through shared memory in tiles.
__global__ void nearest_code(const float* __restrict__ vectors, const float* __restrict__ book,
                             int64_t* __restrict__ nearest, int n, int codes) {
  __shared__ float tile[TILE][WIDTH];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v[WIDTH] = {0.f, 0.f, 0.f, 0.f};
  if (i < n) {
    for (int d = 0; d < WIDTH; ++d) v[d] = vectors[(int64_t)i * WIDTH + d];
  }
  float best = INFINITY;
  int64_t winner = 0;
  for (int base = 0; base < codes; base += TILE) {
    const int here = min(TILE, codes - base);
    for (int k = threadIdx.x; k < min(TILE, codes - base) * WIDTH; k += blockDim.x) {
      tile[k / WIDTH][k % WIDTH] = book[(int64_t)base * WIDTH + k];
    }
    __syncthreads();
    for (int c = 0; c < here; ++c) {
      float distance = 0.f;
      for (int d = 0; d < WIDTH; ++d) distance += (v[d] - tile[c][d]) * (v[d] - tile[c][d]);
      if (distance < best) {
        best = distance;
        winner = base + c;
      }
    }
    __syncthreads();  // nobody needs this tile any more
  }
  if (i < n) nearest[i] = winner;
}

torch::Tensor quantise_vectors(torch::Tensor vectors, torch::Tensor book) {
  TORCH_CHECK(vectors.dim() == 2 && vectors.size(1) == WIDTH, "vectors must be [n, 4]");
  TORCH_CHECK(book.dim() == 2 && book.size(1) == WIDTH && book.size(0) > 0, "book must be [codes, 4]");
  TORCH_CHECK(vectors.is_contiguous() && book.is_contiguous());
  TORCH_CHECK(vectors.scalar_type() == torch::kFloat32 && book.scalar_type() == torch::kFloat32);
  auto nearest = torch::empty({vectors.size(0)}, vectors.options().dtype(torch::kInt64));
  const int n = vectors.size(0), codes = book.size(0);
  if (n == 0) return nearest;
  nearest_code<<<(n + 31) / 32, 32 * 2>>>(vectors.data_ptr<float>(), book.data_ptr<float>(),
                                          nearest.data_ptr<int64_t>(), n, codes);
  return nearest;
}
