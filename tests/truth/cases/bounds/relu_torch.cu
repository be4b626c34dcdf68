//: defect guards-one-too-many: out-of-bounds
//- if (index < numel) {
//+ if (index <= numel) {
//: defect guards-nothing: out-of-bounds
//- if (index < numel) {
//+ {
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

template <typename scalar_t>
__global__ void leaky_relu_kernel(const scalar_t *__restrict__ input, scalar_t *__restrict__ output,
                                  const scalar_t slope, const int64_t numel) {
  const int64_t index = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (index < numel) {
    const scalar_t value = input[index];
    output[index] = value > scalar_t(0) ? value : value * slope;
  }
}

torch::Tensor leaky_relu_cuda(torch::Tensor input, double slope) {
  auto output = torch::empty_like(input);
  const int64_t numel = input.numel();
  const int threads = 256;
  const int64_t blocks = (numel + threads - 1) / threads;
  AT_DISPATCH_FLOATING_TYPES(input.scalar_type(), "leaky_relu_cuda", [&] {
    leaky_relu_kernel<scalar_t><<<blocks, threads, 0, at::cuda::getCurrentCUDAStream()>>>(
        input.data_ptr<scalar_t>(), output.data_ptr<scalar_t>(), static_cast<scalar_t>(slope), numel);
  });
  return output;
}
