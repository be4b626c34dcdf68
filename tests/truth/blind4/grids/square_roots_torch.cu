//: defect blocks-are-rounded-down: uninitialised-read|uninitialised-output
//- const int64_t blocks = (count + kThreads - 1) / kThreads;
//+ const int64_t blocks = std::max<int64_t>(count / kThreads, 1);
#include <torch/extension.h>

namespace {
constexpr int64_t kThreads = 128;

template <typename T>
__global__ void square_roots_kernel(const T* x, T* y, int64_t count) {
  const int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i < count) y[i] = x[i] > T(0) ? sqrt(x[i]) : T(0);
}
}  // namespace

at::Tensor square_roots(const at::Tensor& input) {
  TORCH_CHECK(input.is_cuda(), "input must be on the device");
  const at::Tensor x = input.contiguous();
  at::Tensor y = at::empty_like(x);
  const int64_t count = x.numel();
  if (count == 0) return y;
  const int64_t blocks = (count + kThreads - 1) / kThreads;
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "square_roots", [&] {
    square_roots_kernel<scalar_t><<<blocks, kThreads>>>(x.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(), count);
  });
  return y;
}
