//: defect step-is-the-number-of-blocks: race|order-dependent
//- i += blockDim.x * gridDim.x) {
//+ i += gridDim.x) {
#include <torch/extension.h>

__global__ void decay_kernel(float* weights, const float* steps, int count, float rate) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
       i += blockDim.x * gridDim.x) {
    weights[i] = weights[i] * rate - steps[i];
  }
}

void decay_(torch::Tensor weights, torch::Tensor steps, double rate) {
  TORCH_CHECK(weights.is_cuda() && steps.is_cuda());
  TORCH_CHECK(weights.numel() == steps.numel(), "sizes differ");
  TORCH_CHECK(weights.is_contiguous() && steps.is_contiguous());
  TORCH_CHECK(weights.scalar_type() == torch::kFloat && steps.scalar_type() == torch::kFloat);
  const int count = weights.numel();
  if (count == 0) return;
  decay_kernel<<<std::min((count + 63) / 64, 8), 64>>>(weights.data_ptr<float>(), steps.data_ptr<float>(), count,
                                                       static_cast<float>(rate));
}
