//: defect label-is-looked-up-before-the-check: out-of-bounds
//- const bool counts = label >= 0 && label < classes;
//+ const bool counts = true;
//: defect idle-lanes-leave-before-the-shuffles: divergent-warp|inactive-lane
//- const int lane = threadIdx.x;
//+ const int lane = threadIdx.x;
//+   if (lane >= classes) return;
//: defect loss-begins-with-rubbish: uninitialised-read
//- at::Tensor loss = at::zeros({1}, logits.options());
//+ at::Tensor loss = at::empty({1}, logits.options());
//: defect rows-have-no-guard: out-of-bounds
//- if (row >= rows) return;
//+
#include <ATen/ATen.h>
#include <torch/extension.h>

template <int kWarps>
__global__ void cross_entropy(const float* __restrict__ logits, const int64_t* __restrict__ labels, float* loss,
                              const int64_t rows, const int64_t classes) {
  const int64_t row = int64_t(blockIdx.x) * kWarps + threadIdx.y;
  if (row >= rows) return;
  const int lane = threadIdx.x;
  const float* line = logits + row * classes;

  float high = -INFINITY;
  for (int64_t c = lane; c < classes; c += 32) high = fmaxf(high, line[c]);
  for (int delta = 16; delta >= 1; delta >>= 1) high = fmaxf(high, __shfl_xor_sync(0xffffffff, high, delta));

  float total = 0.f;
  for (int64_t c = lane; c < classes; c += 32) total += expf(line[c] - high);
  for (int delta = 16; delta >= 1; delta >>= 1) total += __shfl_xor_sync(0xffffffff, total, delta);

  if (lane == 0) {
    const int64_t label = labels[row];
    const bool counts = label >= 0 && label < classes;
    if (counts) atomicAdd(loss, (logf(total) + high - line[label]) / rows);
  }
}

at::Tensor cross_entropy_loss(const at::Tensor& logits, const at::Tensor& labels) {
  TORCH_CHECK(logits.dim() == 2 && labels.dim() == 1 && labels.size(0) == logits.size(0));
  TORCH_CHECK(logits.scalar_type() == at::kFloat && labels.scalar_type() == at::kLong);
  TORCH_CHECK(logits.is_contiguous() && labels.is_contiguous() && logits.is_cuda() && labels.is_cuda());
  at::Tensor loss = at::zeros({1}, logits.options());
  const int64_t rows = logits.size(0);
  if (rows == 0) return loss;
  constexpr int kWarps = 4;
  cross_entropy<kWarps><<<(rows + kWarps - 1) / kWarps, dim3(32, kWarps)>>>(
      logits.data_ptr<float>(), labels.data_ptr<int64_t>(), loss.data_ptr<float>(), rows, logits.size(1));
  return loss;
}
