//: defect starts-one-late: out-of-bounds
//- output[i] = input[i] * mask[i] * scale;
//+ output[i + 1] = input[i] * mask[i] * scale;
//: defect loops-one-too-often: out-of-bounds
//- i < (n); i += blockDim.x * gridDim.x)
//+ i <= (n); i += blockDim.x * gridDim.x)
#include <torch/extension.h>

#define CUDA_KERNEL_LOOP(i, n) \
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += blockDim.x * gridDim.x)
#define CUDA_NUM_THREADS 512
inline int GET_BLOCKS(const int N) { return (N + CUDA_NUM_THREADS - 1) / CUDA_NUM_THREADS; }

template <typename scalar_t>
__global__ void dropout_apply_kernel(const int nthreads, const scalar_t *input, const uint8_t *mask, scalar_t *output,
                                     const float scale) {
  CUDA_KERNEL_LOOP(i, nthreads) { output[i] = input[i] * mask[i] * scale; }
}

void dropout_apply(at::Tensor input, at::Tensor mask, at::Tensor output, float p) {
  TORCH_CHECK(input.numel() == mask.numel(), "mask has another size");
  TORCH_CHECK(input.numel() == output.numel(), "output has another size");
  const int count = input.numel();
  AT_DISPATCH_FLOATING_TYPES(input.scalar_type(), "dropout_apply", ([&] {
    dropout_apply_kernel<scalar_t><<<GET_BLOCKS(count), CUDA_NUM_THREADS>>>(
        count, input.data_ptr<scalar_t>(), mask.data_ptr<uint8_t>(), output.data_ptr<scalar_t>(), 1.f / (1.f - p));
  }));
}
