//: defect flags-are-joined-while-others-read-them: race
//- const float before = lane >= step ? sums[lane - step] : 0.f;
//-     const bool joined = lane >= step && !heads[lane];
//-     const bool head_before = lane >= step ? heads[lane - step] : true;
//-     __syncthreads();
//+ const float before = lane >= step ? sums[lane - step] : 0.f;
//+     __syncthreads();
//+     const bool joined = lane >= step && !heads[lane];
//+     const bool head_before = lane >= step ? heads[lane - step] : true;
#include <torch/extension.h>

constexpr int kBlock = 128;

// Sums that begin anew where a segment begins: one block for each row of at most kBlock values.
__global__ void segmented_scan_kernel(const float* values, const uint8_t* begins, float* out, int columns) {
  __shared__ float sums[kBlock];
  __shared__ bool heads[kBlock];
  const int lane = threadIdx.x;
  const int64_t at = (int64_t)blockIdx.x * columns + lane;
  sums[lane] = lane < columns ? values[at] : 0.f;
  heads[lane] = lane == 0 || (lane < columns && begins[at]);
  __syncthreads();
  for (int step = 1; step < kBlock; step *= 2) {
    const float before = lane >= step ? sums[lane - step] : 0.f;
    const bool joined = lane >= step && !heads[lane];
    const bool head_before = lane >= step ? heads[lane - step] : true;
    __syncthreads();
    if (joined) {
      sums[lane] += before;
      heads[lane] = head_before;
    }
    __syncthreads();
  }
  if (lane < columns) out[at] = sums[lane];
}

torch::Tensor segmented_scan(const torch::Tensor& values, const torch::Tensor& begins) {
  TORCH_CHECK(values.is_cuda() && begins.is_cuda());
  TORCH_CHECK(values.dim() == 2 && values.sizes() == begins.sizes());
  TORCH_CHECK(values.scalar_type() == torch::kFloat32 && begins.scalar_type() == torch::kUInt8);
  TORCH_CHECK(values.size(1) <= kBlock, "rows are at most ", kBlock, " values long");
  const auto dense = values.contiguous(), flags = begins.contiguous();
  auto out = torch::empty_like(dense);
  if (out.numel() == 0) return out;
  segmented_scan_kernel<<<dense.size(0), kBlock>>>(dense.data_ptr<float>(), flags.data_ptr<uint8_t>(),
                                                   out.data_ptr<float>(), dense.size(1));
  return out;
}
