//: defect mean-is-read-too-early: race|uninitialised-read
//- __syncthreads();  // mean
//+
//: defect shared-sums-are-reused: race
//- __syncthreads();  // all have the mean
//+
//: defect weight-of-the-row: out-of-bounds
//- out[j] = (x[j] - mean) * inverse * weight[j] + bias[j];
//+ out[j] = (x[j] - mean) * inverse * weight[row * hidden + j] + bias[j];
//: defect one-column-too-many: out-of-bounds
//- for (int j = threadIdx.x; j < hidden; j += blockDim.x) {
//+ for (int j = threadIdx.x; j < hidden + 1; j += blockDim.x) {
#include <torch/extension.h>

__inline__ __device__ float warp_sum(float value) {
  for (int offset = 16; offset > 0; offset >>= 1) value += __shfl_xor_sync(0xffffffff, value, offset);
  return value;
}

__inline__ __device__ float block_sum(float value, float *sums) {
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  value = warp_sum(value);
  if (lane == 0) sums[warp] = value;
  __syncthreads();  // mean
  value = lane < (blockDim.x + 31) / 32 ? sums[lane] : 0.0f;
  return warp_sum(value);
}

__global__ void layer_norm_kernel(const float *input, const float *weight, const float *bias, float *output,
                                  float epsilon, int hidden) {
  __shared__ float sums[32];
  const int row = blockIdx.x;
  const float *x = input + row * hidden;
  float *out = output + row * hidden;
  float sum = 0.0f;
  for (int j = threadIdx.x; j < hidden; j += blockDim.x) sum += x[j];
  const float mean = block_sum(sum, sums) / hidden;
  __syncthreads();  // all have the mean
  float squares = 0.0f;
  for (int j = threadIdx.x; j < hidden; j += blockDim.x) squares += (x[j] - mean) * (x[j] - mean);
  const float inverse = rsqrtf(block_sum(squares, sums) / hidden + epsilon);
  for (int j = threadIdx.x; j < hidden; j += blockDim.x) {
    out[j] = (x[j] - mean) * inverse * weight[j] + bias[j];
  }
}

torch::Tensor layer_norm(torch::Tensor input, torch::Tensor weight, torch::Tensor bias, double epsilon) {
  TORCH_CHECK(input.dim() == 2);
  const int rows = input.size(0), hidden = input.size(1);
  TORCH_CHECK(weight.numel() == hidden);
  TORCH_CHECK(bias.numel() == hidden);
  auto output = torch::empty_like(input);
  layer_norm_kernel<<<rows, 256>>>(input.data_ptr<float>(), weight.data_ptr<float>(), bias.data_ptr<float>(),
                                   output.data_ptr<float>(), epsilon, hidden);
  return output;
}
