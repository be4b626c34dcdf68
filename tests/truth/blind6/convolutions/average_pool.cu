//: defect padding-counts-as-pixels: own-check
//- const int count = (y_end - y_begin) * (x_end - x_begin);
//+ const int count = size * size;
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <vector>

struct Pool {
  int size, stride, pad;
  __host__ __device__ int outputs(int inputs) const { return (inputs + 2 * pad - size) / stride + 1; }
};

__global__ void averagePool(const float* in, float* out, int height, int width, Pool pool) {
  const int ox = blockIdx.x * blockDim.x + threadIdx.x;
  const int oy = blockIdx.y * blockDim.y + threadIdx.y;
  const int channel = blockIdx.z;
  const int out_width = pool.outputs(width), out_height = pool.outputs(height), size = pool.size;
  if (ox >= out_width || oy >= out_height) return;
  const int y_begin = max(oy * pool.stride - pool.pad, 0), x_begin = max(ox * pool.stride - pool.pad, 0);
  const int y_end = min(oy * pool.stride - pool.pad + size, height);
  const int x_end = min(ox * pool.stride - pool.pad + size, width);
  const int count = (y_end - y_begin) * (x_end - x_begin);
  float sum = 0.f;
  for (int y = y_begin; y < y_end; ++y)
    for (int x = x_begin; x < x_end; ++x) sum += in[(channel * height + y) * width + x];
  out[(channel * out_height + oy) * out_width + ox] = sum / count;
}

static std::vector<float> poolOnHost(const std::vector<float>& in, int channels, int height, int width, Pool pool) {
  std::vector<float> out;
  for (int c = 0; c < channels; ++c) {
    for (int oy = 0; oy < pool.outputs(height); ++oy) {
      for (int ox = 0; ox < pool.outputs(width); ++ox) {
        double sum = 0;
        int count = 0;
        for (int ky = 0; ky < pool.size; ++ky) {
          for (int kx = 0; kx < pool.size; ++kx) {
            const int y = oy * pool.stride - pool.pad + ky, x = ox * pool.stride - pool.pad + kx;
            if (y < 0 || x < 0 || y >= height || x >= width) continue;
            sum += in[(c * height + y) * width + x];
            ++count;
          }
        }
        out.push_back((float)(sum / count));
      }
    }
  }
  return out;
}

int main() {
  const int channels = 3, height = 14, width = 21;
  const Pool pool{3, 2, 1};
  std::vector<float> in(channels * height * width);
  for (size_t i = 0; i < in.size(); ++i) in[i] = 1.f + (i * 29 % 83) * 0.125f;
  const std::vector<float> expected = poolOnHost(in, channels, height, width, pool);
  std::vector<float> out(expected.size());
  float *d_in, *d_out;
  cudaMalloc(&d_in, in.size() * sizeof(float));
  cudaMalloc(&d_out, out.size() * sizeof(float));
  cudaMemcpy(d_in, in.data(), in.size() * sizeof(float), cudaMemcpyHostToDevice);
  const dim3 block(8, 8);
  const dim3 grid((pool.outputs(width) + 7) / 8, (pool.outputs(height) + 7) / 8, channels);
  averagePool<<<grid, block>>>(d_in, d_out, height, width, pool);
  cudaMemcpy(out.data(), d_out, out.size() * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(d_in);
  cudaFree(d_out);
  for (size_t i = 0; i < out.size(); ++i) {
    if (std::abs(out[i] - expected[i]) > 1e-4f) {
      std::printf("Test FAILED at %zu\n", i);
      return EXIT_FAILURE;
    }
  }
  std::printf("Test OK\n");
  return EXIT_SUCCESS;
}
