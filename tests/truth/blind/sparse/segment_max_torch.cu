//: defect segments-are-as-many-as-offsets: out-of-bounds
//- const int64_t segments = offsets.size(0) - 1;
//+ const int64_t segments = offsets.size(0);
//: defect ends-are-not-clamped: out-of-bounds
//- const int64_t end = min(offsets[segment + 1], rows);
//+ const int64_t end = offsets[segment + 1];
//: defect empty-segments-keep-rubbish: uninitialised-read
//- scalar_t best = 0;
//+ scalar_t best;
#include <torch/extension.h>

#define THREADS 128
#define CHECK_CUDA(x) TORCH_CHECK(x.is_cuda(), #x " must be a CUDA tensor")
#define CHECK_CONTIGUOUS(x) TORCH_CHECK(x.is_contiguous(), #x " must be contiguous")

template <typename scalar_t>
__global__ void segment_max_kernel(const scalar_t *__restrict__ src, const int64_t *__restrict__ offsets,
                                   scalar_t *__restrict__ out, const int64_t rows, const int64_t width,
                                   const int64_t total) {
  const int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
  if (i >= total) return;
  const int64_t segment = i / width;
  const int64_t column = i % width;
  const int64_t zero = 0;
  const int64_t begin = max(offsets[segment], zero);
  const int64_t end = min(offsets[segment + 1], rows);
  scalar_t best = 0;
  for (int64_t r = begin; r < end; ++r) {
    const scalar_t value = src[r * width + column];
    best = r == begin || value > best ? value : best;
  }
  out[i] = best;
}

torch::Tensor segment_max(torch::Tensor src, torch::Tensor offsets) {
  CHECK_CUDA(src);
  CHECK_CUDA(offsets);
  CHECK_CONTIGUOUS(src);
  CHECK_CONTIGUOUS(offsets);
  TORCH_CHECK(src.dim() == 2 && offsets.dim() == 1 && offsets.size(0) >= 1);
  TORCH_CHECK(offsets.scalar_type() == torch::kInt64);
  const int64_t segments = offsets.size(0) - 1;
  auto out = src.new_empty({segments, src.size(1)});
  const int64_t total = out.numel();
  if (total == 0) return out;
  AT_DISPATCH_FLOATING_TYPES(src.scalar_type(), "segment_max", [&] {
    segment_max_kernel<scalar_t><<<(total + THREADS - 1) / THREADS, THREADS>>>(
        src.data_ptr<scalar_t>(), offsets.data_ptr<int64_t>(), out.data_ptr<scalar_t>(), src.size(0), src.size(1),
        total);
  });
  return out;
}
