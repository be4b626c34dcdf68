//: defect stride-loop-goes-one-too-far: out-of-bounds
//- for (int64_t i = begin; i < n; i += step_size) {
//+ for (int64_t i = begin; i <= n; i += step_size) {
//: defect moments-begin-with-rubbish: uninitialised-read
//- auto moments = at::zeros({2, param.numel()}, param.options());
//+ auto moments = at::empty({2, param.numel()}, param.options());
//: defect second-moment-lies-behind-the-first: out-of-bounds
//- auto moments = at::zeros({2, param.numel()}, param.options());
//+ auto moments = at::zeros_like(param);
#include <ATen/ATen.h>
#include <torch/extension.h>

template <typename scalar_t>
__global__ void adam_kernel(scalar_t* __restrict__ param, const scalar_t* __restrict__ grad,
                            scalar_t* __restrict__ first, scalar_t* __restrict__ second, const int64_t n,
                            const float lr, const float beta1, const float beta2, const float eps) {
  const int64_t begin = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  const int64_t step_size = int64_t(gridDim.x) * blockDim.x;
  for (int64_t i = begin; i < n; i += step_size) {
    const scalar_t g = grad[i];
    first[i] = beta1 * first[i] + (1 - beta1) * g;
    second[i] = beta2 * second[i] + (1 - beta2) * g * g;
    param[i] -= lr * first[i] / (sqrt(second[i]) + eps);
  }
}

at::Tensor adam_first_step(at::Tensor param, const at::Tensor& grad, double lr) {
  TORCH_CHECK(param.is_cuda() && grad.is_cuda(), "expected CUDA tensors");
  TORCH_CHECK(param.is_contiguous() && grad.is_contiguous() && param.numel() == grad.numel());
  TORCH_CHECK(param.scalar_type() == grad.scalar_type());
  auto moments = at::zeros({2, param.numel()}, param.options());
  const int64_t n = param.numel();
  if (n == 0) return moments;
  const int blocks = std::min<int64_t>((n - 1) / 256 + 1, 65535);
  AT_DISPATCH_FLOATING_TYPES(param.scalar_type(), "adam", [&] {
    scalar_t* first = moments.data_ptr<scalar_t>();
    adam_kernel<scalar_t><<<blocks, 256>>>(param.data_ptr<scalar_t>(), grad.data_ptr<scalar_t>(), first, first + n, n,
                                           lr, 0.9f, 0.999f, 1e-8f);
  });
  return moments;
}
