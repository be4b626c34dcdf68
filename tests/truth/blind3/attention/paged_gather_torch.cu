//: defect last-page-is-taken-as-full: out-of-bounds
//- if (slot >= length) return;
//+ if (slot / page_size >= pages) return;
//: defect table-row-is-as-long-as-a-page: out-of-bounds
//- const int64_t page = table[sequence * max_pages + slot / page_size];
//+ const int64_t page = table[sequence * page_size + slot / page_size];
#include <torch/all.h>

// Copies the cached rows of each sequence behind one another. Rows of pages that do not exist are zero.
__global__ void gather_pages_kernel(const float* __restrict__ cache, const int* __restrict__ table,
                                    float* __restrict__ out, int64_t length, int64_t max_pages, int64_t page_size,
                                    int64_t page_count, int64_t width, int64_t pages) {
  const int64_t sequence = blockIdx.y;
  const int64_t slot = blockIdx.x;
  if (slot >= length) return;
  const int64_t page = table[sequence * max_pages + slot / page_size];
  float* target = out + (sequence * length + slot) * width;
  const bool is_there = page >= 0 && page < page_count;
  for (int64_t d = threadIdx.x; d < width; d += blockDim.x) {
    target[d] = is_there ? cache[(page * page_size + slot % page_size) * width + d] : 0.f;
  }
}

torch::Tensor gather_pages(const torch::Tensor& cache, const torch::Tensor& table, int64_t length) {
  TORCH_CHECK(cache.dim() == 3, "cache must be [pages, page_size, width]");
  TORCH_CHECK(table.dim() == 2 && table.scalar_type() == torch::kInt32, "table must be int32 [sequences, max_pages]");
  TORCH_CHECK(cache.scalar_type() == torch::kFloat && cache.is_contiguous() && table.is_contiguous());
  const int64_t page_size = cache.size(1);
  TORCH_CHECK(length >= 0 && length <= table.size(1) * page_size, "length is beyond the table");
  auto out = torch::empty({table.size(0), length, cache.size(2)}, cache.options());
  if (out.numel() == 0) return out;
  const int64_t pages = (length + page_size - 1) / page_size;
  const dim3 grid(pages * page_size, table.size(0));
  gather_pages_kernel<<<grid, 32>>>(cache.data_ptr<float>(), table.data_ptr<int>(), out.data_ptr<float>(), length,
                                    table.size(1), page_size, cache.size(0), cache.size(2), pages);
  return out;
}
