//: defect adds-without-atomics: race|order-dependent
//- atomicAdd(out + index[e] * channels + c, src[i]);
//+ out[index[e] * channels + c] += src[i];
//: defect begins-with-rubbish: uninitialised-read
//- auto out = torch::zeros({dim_size, src.size(1)}, src.options());
//+ auto out = torch::empty({dim_size, src.size(1)}, src.options());
//: defect an-edge-too-many: out-of-bounds
//- if (i >= edges * channels) return;
//+ if (i > edges * channels) return;
#include <torch/extension.h>

__global__ void scatter_add_rows(const float *src, const int64_t *index, float *out, int64_t edges, int64_t channels) {
  int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= edges * channels) return;
  int64_t e = i / channels, c = i % channels;
  atomicAdd(out + index[e] * channels + c, src[i]);
}

torch::Tensor scatter_add(torch::Tensor src, torch::Tensor index, int64_t dim_size) {
  TORCH_CHECK(src.dim() == 2 && index.dim() == 1);
  TORCH_CHECK(src.size(0) == index.size(0));
  auto out = torch::zeros({dim_size, src.size(1)}, src.options());
  const int64_t total = src.size(0) * src.size(1);
  scatter_add_rows<<<(total + 255) / 256, 256>>>(src.data_ptr<float>(), index.data_ptr<int64_t>(),
                                                 out.data_ptr<float>(), src.size(0), src.size(1));
  return out;
}
