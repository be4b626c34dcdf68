//: defect mean-is-read-before-it-is-there: race
//- __syncthreads();  // the mean is there
//+
#include <torch/extension.h>

__global__ void centre_rows_kernel(const float* x, float* y, int columns) {
  __shared__ float mean;
  const float* row = x + (int64_t)blockIdx.x * columns;
  float* out = y + (int64_t)blockIdx.x * columns;
  if (threadIdx.x == 0) {
    float sum = 0.f;
    for (int k = 0; k < columns; ++k) sum += row[k];
    mean = sum / columns;
  }
  __syncthreads();  // the mean is there
  for (int k = threadIdx.x; k < columns; k += blockDim.x) out[k] = row[k] - mean;
}

at::Tensor centre_rows(const at::Tensor& x) {
  TORCH_CHECK(x.dim() == 2 && x.is_contiguous() && x.scalar_type() == at::kFloat);
  at::Tensor y = at::empty_like(x);
  if (x.numel() == 0) return y;
  centre_rows_kernel<<<x.size(0), 96>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.size(1));
  return y;
}
