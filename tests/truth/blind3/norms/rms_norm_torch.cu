//: defect partial-sums-of-absent-warps-are-read: uninitialised-read
//- float total = lane < warps ? partial[lane] : 0.f;
//+ float total = partial[lane];
//: defect scale-is-read-while-it-is-written: race|uninitialised-read
//- __syncthreads();  // scale is there
//+
#include <c10/util/BFloat16.h>
#include <torch/extension.h>

__device__ __forceinline__ float warp_sum(float value) {
#pragma unroll
  for (int offset = 16; offset > 0; offset >>= 1) value += __shfl_xor_sync(0xffffffffu, value, offset);
  return value;
}

template <typename T>
__global__ void rms_norm_kernel(const T* __restrict__ x, const T* __restrict__ weight, T* __restrict__ y, int width,
                                float eps) {
  __shared__ float partial[32];
  __shared__ float scale;
  const T* row = x + (int64_t)blockIdx.x * width;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  float sum = 0.f;
  for (int i = threadIdx.x; i < width; i += blockDim.x) {
    const float value = static_cast<float>(row[i]);
    sum += value * value;
  }
  sum = warp_sum(sum);
  if (lane == 0) partial[warp] = sum;
  __syncthreads();
  if (warp == 0) {
    float total = lane < warps ? partial[lane] : 0.f;
    total = warp_sum(total);
    if (lane == 0) scale = rsqrtf(total / width + eps);
  }
  __syncthreads();  // scale is there
  for (int i = threadIdx.x; i < width; i += blockDim.x) {
    y[(int64_t)blockIdx.x * width + i] =
        static_cast<T>(static_cast<float>(row[i]) * scale * static_cast<float>(weight[i]));
  }
}

at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double eps) {
  TORCH_CHECK(x.is_cuda() && weight.is_cuda());
  TORCH_CHECK(x.size(-1) == weight.numel(), "weight must have one value a column");
  TORCH_CHECK(x.scalar_type() == weight.scalar_type());
  auto input = x.contiguous();
  auto output = at::empty_like(input);
  const int width = input.size(-1);
  if (width == 0) return output;
  const int64_t rows = input.numel() / width;
  if (rows == 0) return output;
  const int threads = std::min(1024, (width + 31) / 32 * 32);
  AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, input.scalar_type(), "rms_norm", [&] {
    rms_norm_kernel<scalar_t><<<rows, threads>>>(input.data_ptr<scalar_t>(), weight.contiguous().data_ptr<scalar_t>(),
                                                 output.data_ptr<scalar_t>(), width, static_cast<float>(eps));
  });
  return output;
}
