//: defect values-that-stay-are-counted-twice: out-of-bounds|race|order-dependent
//- positions[i] = sum - mask[i];
//+ positions[i] = sum;
#include <torch/extension.h>

#include <tuple>

// Where each value that stays goes: one block walks the mask in pieces of its size.
__global__ void positions_kernel(const int* mask, int* positions, int n) {
  __shared__ int partial[128];
  __shared__ int carry;
  if (threadIdx.x == 0) carry = 0;
  for (int begin = 0; begin < n; begin += 128) {
    const int i = begin + threadIdx.x;
    partial[threadIdx.x] = i < n ? mask[i] : 0;
    __syncthreads();
    for (int step = 1; step < 128; step *= 2) {
      const int other = threadIdx.x >= step ? partial[threadIdx.x - step] : 0;
      __syncthreads();
      partial[threadIdx.x] += other;
      __syncthreads();
    }
    if (i < n) {
      const int sum = partial[threadIdx.x] + carry;
      positions[i] = sum - mask[i];
    }
    __syncthreads();
    if (threadIdx.x == 127) carry += partial[127];
    __syncthreads();
  }
}

__global__ void gather_kernel(const float* values, const int* mask, const int* positions, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && mask[i]) out[positions[i]] = values[i];
}

torch::Tensor select_masked(torch::Tensor values, torch::Tensor mask) {
  TORCH_CHECK(values.is_cuda() && values.is_contiguous() && values.scalar_type() == torch::kFloat);
  TORCH_CHECK(mask.is_cuda() && mask.scalar_type() == torch::kBool && mask.sizes() == values.sizes());
  const int n = values.numel();
  auto ones = mask.to(torch::kInt).contiguous();
  const int64_t kept = ones.sum().item<int64_t>();
  auto out = torch::empty({kept}, values.options());
  if (n == 0) return out;
  auto positions = torch::empty({n}, ones.options());
  positions_kernel<<<1, 128>>>(ones.data_ptr<int>(), positions.data_ptr<int>(), n);
  gather_kernel<<<(n + 255) / 256, 256>>>(values.data_ptr<float>(), ones.data_ptr<int>(), positions.data_ptr<int>(),
                                          out.data_ptr<float>(), n);
  return out;
}
