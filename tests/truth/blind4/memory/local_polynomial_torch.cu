//: defect powers-have-one-place-too-few: array-bounds|out-of-bounds
//- scalar_t powers[5];
//+ scalar_t powers[4];
#include <torch/extension.h>

template <typename scalar_t>
__global__ void quartic_kernel(const scalar_t* x, const scalar_t* coefficients, scalar_t* y, int64_t n) {
  const int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i >= n) return;
  scalar_t powers[5];
  powers[0] = scalar_t(1);
  for (int k = 1; k <= 4; ++k) powers[k] = powers[k - 1] * x[i];
  scalar_t sum = 0;
  for (int k = 0; k <= 4; ++k) sum += coefficients[k] * powers[k];
  y[i] = sum;
}

torch::Tensor quartic(torch::Tensor x, torch::Tensor coefficients) {
  TORCH_CHECK(x.is_contiguous() && coefficients.is_contiguous());
  TORCH_CHECK(coefficients.dim() == 1 && coefficients.size(0) == 5, "five coefficients");
  TORCH_CHECK(x.scalar_type() == coefficients.scalar_type());
  auto y = torch::empty_like(x);
  const int64_t n = x.numel();
  if (n == 0) return y;
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "quartic", [&] {
    quartic_kernel<scalar_t><<<(n + 127) / 128, 128>>>(x.data_ptr<scalar_t>(), coefficients.data_ptr<scalar_t>(),
                                                       y.data_ptr<scalar_t>(), n);
  });
  return y;
}
