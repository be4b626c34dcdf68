//: defect threads-beyond-the-row-leave-early: divergent-barrier|uninitialised-read
//- float high = 0.f;
//+ if (threadIdx.x >= cols) return;
//+   float high = 0.f;
//: defect scale-is-read-before-it-stands: race|uninitialised-read
//- if (threadIdx.x == 0) row_scale = highs[0] > 0.f ? highs[0] / 127.f : 1.f;
//-   __syncthreads();
//+ if (threadIdx.x == 0) row_scale = highs[0] > 0.f ? highs[0] / 127.f : 1.f;
//: defect scales-for-half-the-rows: out-of-bounds
//- auto scales = torch::empty({rows}, x.options().dtype(torch::kFloat32));
//+ auto scales = torch::empty({rows / 2}, x.options().dtype(torch::kFloat32));
#include <torch/extension.h>
#include <c10/cuda/CUDAException.h>

template <typename scalar_t>
__global__ void quantise_rows(const scalar_t* __restrict__ x, int8_t* __restrict__ q, float* __restrict__ scales,
                              const int64_t cols) {
  __shared__ float highs[512];
  __shared__ float row_scale;
  const scalar_t* from = x + blockIdx.x * cols;
  int8_t* to = q + blockIdx.x * cols;

  float high = 0.f;
  for (int64_t c = threadIdx.x; c < cols; c += blockDim.x) high = fmaxf(high, fabsf(static_cast<float>(from[c])));
  highs[threadIdx.x] = high;
  __syncthreads();
  for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s) highs[threadIdx.x] = fmaxf(highs[threadIdx.x], highs[threadIdx.x + s]);
    __syncthreads();
  }
  if (threadIdx.x == 0) row_scale = highs[0] > 0.f ? highs[0] / 127.f : 1.f;
  __syncthreads();

  for (int64_t c = threadIdx.x; c < cols; c += blockDim.x) {
    const float level = rintf(static_cast<float>(from[c]) / row_scale);
    to[c] = static_cast<int8_t>(fminf(fmaxf(level, -127.f), 127.f));
  }
  if (threadIdx.x == 0) scales[blockIdx.x] = row_scale;
}

std::vector<torch::Tensor> quantise(torch::Tensor x) {
  TORCH_CHECK(x.is_cuda() && x.dim() == 2);
  x = x.contiguous();
  const auto rows = x.size(0), cols = x.size(1);
  auto q = torch::empty({rows, cols}, x.options().dtype(torch::kInt8));
  auto scales = torch::empty({rows}, x.options().dtype(torch::kFloat32));
  if (rows == 0) return {q, scales};
  AT_DISPATCH_FLOATING_TYPES_AND2(at::ScalarType::Half, at::ScalarType::BFloat16, x.scalar_type(), "quantise", [&] {
    quantise_rows<scalar_t><<<rows, 512>>>(x.data_ptr<scalar_t>(), q.data_ptr<int8_t>(), scales.data_ptr<float>(),
                                           cols);
  });
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return {q, scales};
}
