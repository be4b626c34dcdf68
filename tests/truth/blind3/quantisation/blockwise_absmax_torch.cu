//: defect tail-of-the-last-block-is-read: out-of-bounds
//- const float value = i < n ? x[i] : 0.f;
//+ const float value = x[i];
//: defect lower-half-reads-the-largest-too-early: race
//- __syncthreads();  // a step is done
//+
#include <torch/extension.h>

#define BLOCK 64

__global__ void quantise_blockwise(const float* x, int8_t* codes, float* absmax, int64_t n) {
  __shared__ float largest[BLOCK];
  const int64_t i = (int64_t)blockIdx.x * BLOCK + threadIdx.x;
  const float value = i < n ? x[i] : 0.f;
  largest[threadIdx.x] = fabsf(value);
  __syncthreads();
  for (int half = BLOCK / 2; half > 0; half >>= 1) {
    if (threadIdx.x < half) largest[threadIdx.x] = fmaxf(largest[threadIdx.x], largest[threadIdx.x + half]);
    __syncthreads();  // a step is done
  }
  const float scale = largest[0];
  if (threadIdx.x == 0) absmax[blockIdx.x] = scale;
  if (i < n) codes[i] = scale > 0.f ? (int8_t)rintf(value / scale * 127.f) : (int8_t)0;
}

std::vector<torch::Tensor> quantise(torch::Tensor x) {
  TORCH_CHECK(x.is_cuda(), "x must be a CUDA tensor");
  TORCH_CHECK(x.scalar_type() == torch::kFloat32, "x must be float32");
  auto flat = x.contiguous().view({-1});
  const int64_t n = flat.numel();
  const int64_t blocks = (n + BLOCK - 1) / BLOCK;
  auto codes = torch::empty({n}, flat.options().dtype(torch::kInt8));
  auto absmax = torch::empty({blocks}, flat.options());
  if (n > 0) {
    quantise_blockwise<<<blocks, BLOCK>>>(flat.data_ptr<float>(), codes.data_ptr<int8_t>(), absmax.data_ptr<float>(),
                                          n);
  }
  return {codes.view(x.sizes()), absmax};
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("quantise", &quantise, "blockwise absmax quantisation"); }
