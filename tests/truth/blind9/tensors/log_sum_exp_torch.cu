//: defect room-for-partials-is-counted-in-floats: out-of-bounds
//- const size_t bytes = kThreads * sizeof(scalar_t);
//+ const size_t bytes = kThreads * sizeof(float);
#include <torch/extension.h>

#include <ATen/Dispatch.h>

constexpr int kThreads = 128;

template <typename scalar_t>
__global__ void log_sum_exp_kernel(const scalar_t* rows, scalar_t* out, int64_t width) {
  extern __shared__ unsigned char raw[];
  scalar_t* partial = reinterpret_cast<scalar_t*>(raw);
  const scalar_t* row = rows + blockIdx.x * width;

  scalar_t peak = row[0];
  for (int64_t c = threadIdx.x; c < width; c += blockDim.x) peak = row[c] > peak ? row[c] : peak;
  partial[threadIdx.x] = peak;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half && partial[threadIdx.x + half] > partial[threadIdx.x])
      partial[threadIdx.x] = partial[threadIdx.x + half];
    __syncthreads();
  }
  peak = partial[0];
  __syncthreads();

  scalar_t sum = 0;
  for (int64_t c = threadIdx.x; c < width; c += blockDim.x) sum += exp(row[c] - peak);
  partial[threadIdx.x] = sum;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = peak + log(partial[0]);
}

torch::Tensor log_sum_exp(torch::Tensor x) {
  TORCH_CHECK(x.is_cuda(), "x must be a CUDA tensor");
  TORCH_CHECK(x.dim() == 2 && x.size(1) > 0, "x must have rows");
  x = x.contiguous();
  auto out = torch::empty({x.size(0)}, x.options());
  if (x.size(0) == 0) return out;
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "log_sum_exp", [&] {
    const size_t bytes = kThreads * sizeof(scalar_t);
    log_sum_exp_kernel<scalar_t><<<x.size(0), kThreads, bytes>>>(x.data_ptr<scalar_t>(), out.data_ptr<scalar_t>(), x.size(1));
  });
  return out;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("log_sum_exp", &log_sum_exp); }
