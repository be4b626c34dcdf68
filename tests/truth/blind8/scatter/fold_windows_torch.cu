//: defect windows-that-overlap-add-to-one-place: race
//- atomicAdd(&signal[window * hop + at % length], windows[at]);
//+ signal[window * hop + at % length] += windows[at];
#include <torch/extension.h>

// adds windows of a signal up to the signal again, each `hop` places behind the one before
__global__ void fold_kernel(const float* windows, float* signal, int length, int hop, int total) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= total) return;
  const int window = at / length;
  atomicAdd(&signal[window * hop + at % length], windows[at]);
}

torch::Tensor fold(torch::Tensor windows, int64_t hop) {
  TORCH_CHECK(windows.is_cuda() && windows.dim() == 2, "windows must be count x length");
  TORCH_CHECK(windows.scalar_type() == torch::kFloat32, "windows must be float");
  TORCH_CHECK(windows.size(0) > 0 && hop > 0 && hop <= windows.size(1), "hop must be between 1 and the length");
  windows = windows.contiguous();
  const int64_t count = windows.size(0), length = windows.size(1);
  auto signal = torch::zeros({(count - 1) * hop + length}, windows.options());
  const int total = windows.numel();
  fold_kernel<<<(total + 127) / 128, 128>>>(windows.data_ptr<float>(), signal.data_ptr<float>(), length, hop, total);
  return signal;
}
