//: defect partner-lies-beyond-the-head: out-of-bounds
//- for (int i = threadIdx.x; i < heads * half; i += blockDim.x) {
//+ for (int i = threadIdx.x; i < heads * half * 2; i += blockDim.x) {
//: defect both-halves-turn-each-pair: race
//- const int head = i / half, d = i % half;
//+ const int head = i / 2 / half, d = i / 2 % half;
//: defect position-is-not-checked: out-of-bounds
//- if (position < 0 || position >= max_position) return;
//+
#include <torch/extension.h>
#include <c10/cuda/CUDAGuard.h>

template <typename scalar_t>
__global__ void rotary_in_place(scalar_t* __restrict__ q, const int64_t* __restrict__ positions,
                                const scalar_t* __restrict__ cosines, const scalar_t* __restrict__ sines,
                                const int heads, const int half, const int64_t max_position) {
  const int64_t token = blockIdx.x;
  const int64_t position = positions[token];
  if (position < 0 || position >= max_position) return;
  scalar_t* row = q + token * heads * half * 2;
  for (int i = threadIdx.x; i < heads * half; i += blockDim.x) {
    const int head = i / half, d = i % half;
    scalar_t* first = row + head * half * 2 + d;
    scalar_t* second = first + half;
    const scalar_t c = cosines[position * half + d];
    const scalar_t s = sines[position * half + d];
    const scalar_t x = *first, y = *second;
    *first = x * c - y * s;
    *second = y * c + x * s;
  }
}

void apply_rotary(torch::Tensor& q, torch::Tensor& positions, torch::Tensor& cosines, torch::Tensor& sines) {
  TORCH_CHECK(q.is_cuda() && q.is_contiguous() && q.dim() == 3, "q: [tokens, heads, head size]");
  TORCH_CHECK(positions.dim() == 1 && positions.size(0) == q.size(0) && positions.is_contiguous());
  TORCH_CHECK(cosines.dim() == 2 && cosines.sizes() == sines.sizes());
  TORCH_CHECK(cosines.is_contiguous() && sines.is_contiguous());
  TORCH_CHECK(q.size(2) == 2 * cosines.size(1), "head size must be twice the width of the table");
  TORCH_CHECK(q.scalar_type() == cosines.scalar_type() && q.scalar_type() == sines.scalar_type());
  TORCH_CHECK(q.size(1) * q.size(2) <= 1 << 20);
  if (q.numel() == 0) return;
  const at::cuda::OptionalCUDAGuard device_guard(device_of(q));
  const dim3 grid(q.size(0));
  const dim3 block(std::min<int64_t>(q.size(1) * q.size(2) / 2, 512));
  AT_DISPATCH_FLOATING_TYPES(q.scalar_type(), "rotary", [&] {
    rotary_in_place<scalar_t><<<grid, block>>>(q.data_ptr<scalar_t>(), positions.data_ptr<int64_t>(),
                                               cosines.data_ptr<scalar_t>(), sines.data_ptr<scalar_t>(), q.size(1),
                                               cosines.size(1), cosines.size(0));
  });
}
