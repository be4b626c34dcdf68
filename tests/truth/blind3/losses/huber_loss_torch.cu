//: defect sum-begins-with-what-was-there: uninitialised-read
//- auto loss = torch::zeros({1}, prediction.options());
//+ auto loss = torch::empty({1}, prediction.options());
//: defect blocks-add-without-atomics: race
//- if (threadIdx.x == 0) atomicAdd(loss, partial[0] / n);
//+ if (threadIdx.x == 0) *loss += partial[0] / n;
//: defect target-may-be-shorter: out-of-bounds
//- TORCH_CHECK(prediction.sizes() == target.sizes(), "shapes differ");
//+ TORCH_CHECK(prediction.dim() == target.dim(), "shapes differ");
#include <torch/extension.h>

constexpr int kBlock = 128;

__global__ void huber_kernel(const float* __restrict__ prediction, const float* __restrict__ target,
                             float* __restrict__ loss, int64_t n, float delta) {
  __shared__ float partial[kBlock];
  float sum = 0.f;
  for (int64_t i = blockIdx.x * (int64_t)kBlock + threadIdx.x; i < n; i += (int64_t)kBlock * gridDim.x) {
    const float error = fabsf(prediction[i] - target[i]);
    sum += error <= delta ? 0.5f * error * error : delta * (error - 0.5f * delta);
  }
  partial[threadIdx.x] = sum;
  __syncthreads();
  for (int half = kBlock / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(loss, partial[0] / n);
}

torch::Tensor huber_loss(torch::Tensor prediction, torch::Tensor target, double delta) {
  TORCH_CHECK(prediction.is_cuda() && target.is_cuda());
  TORCH_CHECK(prediction.sizes() == target.sizes(), "shapes differ");
  TORCH_CHECK(prediction.scalar_type() == torch::kFloat && target.scalar_type() == torch::kFloat);
  prediction = prediction.contiguous();
  target = target.contiguous();
  auto loss = torch::zeros({1}, prediction.options());
  const int64_t n = prediction.numel();
  if (n == 0) return loss;
  const int blocks = std::min<int64_t>((n + kBlock - 1) / kBlock, 256);
  huber_kernel<<<blocks, kBlock>>>(prediction.data_ptr<float>(), target.data_ptr<float>(), loss.data_ptr<float>(), n,
                                   static_cast<float>(delta));
  return loss;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("huber_loss", &huber_loss); }
