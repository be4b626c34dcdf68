//: defect padding-is-looked-up: out-of-bounds
//- out[at] = id < 0 ? 0.f : table[id * width + at % width];
//+ out[at] = table[id * width + at % width];
#include <torch/extension.h>

// -1 among the ids stands for padding, whose row is zero
__global__ void embed_kernel(const int64_t* ids, const float* table, float* out, int64_t total, int64_t width) {
  const int64_t at = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= total) return;
  const int64_t id = ids[at / width];
  out[at] = id < 0 ? 0.f : table[id * width + at % width];
}

torch::Tensor embed(torch::Tensor ids, torch::Tensor table) {
  TORCH_CHECK(ids.is_cuda() && table.is_cuda(), "both must be on the device");
  TORCH_CHECK(ids.dim() == 1 && ids.scalar_type() == torch::kLong, "ids must be a list of longs");
  TORCH_CHECK(table.dim() == 2 && table.scalar_type() == torch::kFloat, "the table must be a matrix of floats");
  TORCH_CHECK(ids.numel() > 0 && table.numel() > 0, "nothing to look up");
  TORCH_CHECK(ids.min().item<int64_t>() >= -1 && ids.max().item<int64_t>() < table.size(0), "an id is out of range");
  ids = ids.contiguous();
  table = table.contiguous();
  auto out = torch::empty({ids.size(0), table.size(1)}, table.options());
  const int64_t total = out.numel();
  embed_kernel<<<(total + 255) / 256, 256>>>(ids.data_ptr<int64_t>(), table.data_ptr<float>(), out.data_ptr<float>(),
                                            total, table.size(1));
  return out;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("embed", &embed); }
