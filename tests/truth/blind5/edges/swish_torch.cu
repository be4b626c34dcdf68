//: defect one-thread-too-many-goes-on: out-of-bounds
//- if (idx >= total) return;
//+ if (idx > total) return;
#include <ATen/ATen.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <torch/extension.h>

namespace {

constexpr int kThreads = 256;

template <typename scalar_t>
__global__ void swish_forward(const scalar_t* __restrict__ in, scalar_t* __restrict__ out, scalar_t beta, int64_t total) {
  const int64_t idx = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (idx >= total) return;
  const scalar_t v = in[idx];
  out[idx] = v / (scalar_t(1) + exp(-beta * v));
}

}  // namespace

at::Tensor swish(const at::Tensor& input, double beta) {
  TORCH_CHECK(input.is_cuda(), "swish: input must be on the GPU");
  const auto in = input.contiguous();
  auto out = at::empty_like(in);
  const int64_t total = in.numel();
  if (total == 0) return out;
  const int64_t blocks = (total + kThreads - 1) / kThreads;
  AT_DISPATCH_FLOATING_TYPES(in.scalar_type(), "swish", [&] {
    swish_forward<scalar_t><<<blocks, kThreads, 0, at::cuda::getCurrentCUDAStream()>>>(
        in.data_ptr<scalar_t>(), out.data_ptr<scalar_t>(), static_cast<scalar_t>(beta), total);
  });
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return out;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("swish", &swish, "Swish with a slope"); }
