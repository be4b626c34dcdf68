//: defect no-barrier-after-the-tile: race|uninitialised-read
//- __syncthreads();
//+
//: defect left-edge-is-not-clamped: out-of-bounds
//- int sx = min(max(originX + tx, 0), width - 1);
//+ int sx = min(originX + tx, width - 1);
//: defect outside-threads-leave-early: divergent-barrier|uninitialised-read
//- for (int ty = threadIdx.y; ty < SPAN; ty += TILE) {
//+ if (x >= width || y >= height) return;
//+   for (int ty = threadIdx.y; ty < SPAN; ty += TILE) {
//: defect halo-on-one-side-only: array-bounds|out-of-bounds
//- __shared__ float tile[SPAN][SPAN];
//+ __shared__ float tile[TILE + RADIUS][TILE + RADIUS];
#include <cuda_runtime.h>

#include <cmath>
#include <stdexcept>
#include <vector>

constexpr int TILE = 16;
constexpr int RADIUS = 3;
constexpr int SPAN = TILE + 2 * RADIUS;

__constant__ float kWeights[2 * RADIUS + 1];

__global__ void blurKernel(const float* __restrict__ in, float* __restrict__ out, int width, int height) {
  __shared__ float tile[SPAN][SPAN];
  const int x = blockIdx.x * TILE + threadIdx.x;
  const int y = blockIdx.y * TILE + threadIdx.y;
  const int originX = blockIdx.x * TILE - RADIUS;
  const int originY = blockIdx.y * TILE - RADIUS;

  for (int ty = threadIdx.y; ty < SPAN; ty += TILE) {
    for (int tx = threadIdx.x; tx < SPAN; tx += TILE) {
      int sx = min(max(originX + tx, 0), width - 1);
      int sy = min(max(originY + ty, 0), height - 1);
      tile[ty][tx] = in[sy * width + sx];
    }
  }
  __syncthreads();
  if (x >= width || y >= height) return;

  float sum = 0.f;
  for (int dy = 0; dy <= 2 * RADIUS; ++dy)
    for (int dx = 0; dx <= 2 * RADIUS; ++dx)
      sum += kWeights[dy] * kWeights[dx] * tile[threadIdx.y + dy][threadIdx.x + dx];
  out[y * width + x] = sum;
}

class GaussianBlur {
 public:
  GaussianBlur(int width, int height, float sigma) : width_(width), height_(height) {
    if (width <= 0 || height <= 0 || width > 16384 || height > 16384) throw std::invalid_argument("size");
    float weights[2 * RADIUS + 1], total = 0.f;
    for (int i = 0; i <= 2 * RADIUS; ++i) total += weights[i] = std::exp(-0.5f * (i - RADIUS) * (i - RADIUS) / (sigma * sigma));
    for (float& weight : weights) weight /= total;
    cudaMemcpyToSymbol(kWeights, weights, sizeof(weights));
    cudaMalloc(&in_, bytes());
    cudaMalloc(&out_, bytes());
  }
  ~GaussianBlur() {
    cudaFree(in_);
    cudaFree(out_);
  }

  std::vector<float> apply(const std::vector<float>& image) {
    if (image.size() * sizeof(float) != bytes()) throw std::invalid_argument("image");
    cudaMemcpy(in_, image.data(), bytes(), cudaMemcpyHostToDevice);
    const dim3 threads{TILE, TILE};
    const dim3 blocks{unsigned(width_ + TILE - 1) / TILE, unsigned(height_ + TILE - 1) / TILE};
    blurKernel<<<blocks, threads>>>(in_, out_, width_, height_);
    std::vector<float> result(image.size());
    cudaMemcpy(result.data(), out_, bytes(), cudaMemcpyDeviceToHost);
    return result;
  }

 private:
  size_t bytes() const { return size_t(width_) * height_ * sizeof(float); }
  int width_, height_;
  float* in_ = nullptr;
  float* out_ = nullptr;
};

int main() {
  GaussianBlur blur(203, 77, 1.2f);
  std::vector<float> image(203 * 77);
  for (size_t i = 0; i < image.size(); ++i) image[i] = float(i % 19) / 19.f;
  return blur.apply(image).size() == image.size() ? 0 : 1;
}
