//: defect rows-of-odd-width-have-a-second-half: out-of-bounds
//- const int high = 2 * pair + 1 < columns ? quantise(row[2 * pair + 1], inverse) : 0;
//+ const int high = quantise(row[2 * pair + 1], inverse);
#include <torch/extension.h>

#include <tuple>

__device__ __forceinline__ int quantise(float value, float inverse) {
  return max(-8, min(7, __float2int_rn(value * inverse)));
}

// A row a block: its scale is its largest value over seven; two numbers of four bits share a byte.
__global__ void pack_int4_kernel(const float* __restrict__ x, uint8_t* __restrict__ packed, float* __restrict__ scales,
                                 int columns, int packed_columns) {
  __shared__ float largest[128];
  const float* row = x + (size_t)blockIdx.x * columns;
  float mine = 0.f;
  for (int c = threadIdx.x; c < columns; c += blockDim.x) mine = fmaxf(mine, fabsf(row[c]));
  largest[threadIdx.x] = mine;
  __syncthreads();
  for (int width = 64; width > 0; width /= 2) {
    if (threadIdx.x < width) largest[threadIdx.x] = fmaxf(largest[threadIdx.x], largest[threadIdx.x + width]);
    __syncthreads();
  }
  const float scale = largest[0] / 7.f;
  const float inverse = scale > 0.f ? 1.f / scale : 0.f;
  if (threadIdx.x == 0) scales[blockIdx.x] = scale;
  for (int pair = threadIdx.x; pair < packed_columns; pair += blockDim.x) {
    const int low = quantise(row[2 * pair], inverse);
    const int high = 2 * pair + 1 < columns ? quantise(row[2 * pair + 1], inverse) : 0;
    packed[(size_t)blockIdx.x * packed_columns + pair] = (uint8_t)((low & 15) | ((high & 15) << 4));
  }
}

std::tuple<torch::Tensor, torch::Tensor> pack_int4(const torch::Tensor& x) {
  TORCH_CHECK(x.is_cuda() && x.is_contiguous() && x.dim() == 2 && x.scalar_type() == torch::kFloat);
  TORCH_CHECK(x.size(0) > 0 && x.size(1) > 0, "x is empty");
  const int rows = x.size(0), columns = x.size(1), packed_columns = (columns + 1) / 2;
  auto packed = torch::empty({rows, packed_columns}, x.options().dtype(torch::kUInt8));
  auto scales = torch::empty({rows}, x.options());
  pack_int4_kernel<<<rows, 128>>>(x.data_ptr<float>(), packed.data_ptr<uint8_t>(), scales.data_ptr<float>(), columns,
                                  packed_columns);
  return std::make_tuple(packed, scales);
}
