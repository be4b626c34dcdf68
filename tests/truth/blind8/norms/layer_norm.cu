//: defect variance-is-of-one-less: own-check|wrong-value
//- const float scale = rsqrtf(squares / columns + EPSILON);
//+ const float scale = rsqrtf(squares / (columns - 1) + EPSILON);
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

#define EPSILON 1e-5f

// a thread a row, as in a first version that later ones are compared with
__global__ void layernorm_forward(const float *in, const float *gain, const float *bias, float *out, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const float *x = in + row * columns;
  float mean = 0.f, squares = 0.f;
  for (int c = 0; c < columns; ++c) mean += x[c];
  mean /= columns;
  for (int c = 0; c < columns; ++c) squares += (x[c] - mean) * (x[c] - mean);
  const float scale = rsqrtf(squares / columns + EPSILON);
  for (int c = 0; c < columns; ++c) out[row * columns + c] = (x[c] - mean) * scale * gain[c] + bias[c];
}

static void layernorm_cpu(const float *in, const float *gain, const float *bias, float *out, int rows, int columns) {
  for (int row = 0; row < rows; ++row) {
    const float *x = in + row * columns;
    double mean = 0, squares = 0;
    for (int c = 0; c < columns; ++c) mean += x[c];
    mean /= columns;
    for (int c = 0; c < columns; ++c) squares += (x[c] - mean) * (x[c] - mean);
    const double scale = 1 / std::sqrt(squares / columns + EPSILON);
    for (int c = 0; c < columns; ++c) out[row * columns + c] = static_cast<float>((x[c] - mean) * scale * gain[c] + bias[c]);
  }
}

int main() {
  const int rows = 30, columns = 24;
  std::vector<float> in(rows * columns), gain(columns), bias(columns), out(rows * columns), reference(rows * columns);
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i * 29 % 101) / 10 - 5;
  for (int c = 0; c < columns; ++c) gain[c] = 1 + 0.1f * c, bias[c] = 0.5f - 0.05f * c;
  float *d_in, *d_gain, *d_bias, *d_out;
  cudaMalloc(&d_in, in.size() * sizeof(float));
  cudaMalloc(&d_out, in.size() * sizeof(float));
  cudaMalloc(&d_gain, columns * sizeof(float));
  cudaMalloc(&d_bias, columns * sizeof(float));
  cudaMemcpy(d_in, in.data(), in.size() * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(d_gain, gain.data(), columns * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(d_bias, bias.data(), columns * sizeof(float), cudaMemcpyHostToDevice);
  layernorm_forward<<<(rows + 31) / 32, 32>>>(d_in, d_gain, d_bias, d_out, rows, columns);
  cudaMemcpy(out.data(), d_out, out.size() * sizeof(float), cudaMemcpyDeviceToHost);
  layernorm_cpu(in.data(), gain.data(), bias.data(), reference.data(), rows, columns);
  for (size_t i = 0; i < out.size(); ++i) {
    if (std::fabs(out[i] - reference[i]) > 1e-3f) {
      std::printf("Mismatch of out at %zu: CPU_ref: %f vs GPU: %f\n", i, reference[i], out[i]);
      std::exit(EXIT_FAILURE);
    }
  }
  std::printf("All results match.\n");
  return 0;
}
