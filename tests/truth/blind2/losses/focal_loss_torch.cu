//: defect ignored-targets-are-not-ignored: out-of-bounds
//- if (target == ignore_index || target < 0 || target >= classes) {
//+ if (target == 255) {
//: defect weights-are-taken-by-the-sample: out-of-bounds
//- const scalar_t weight = weights[target];
//+ const scalar_t weight = weights[n];
//: defect ignored-losses-are-not-written: uninitialised-read|uninitialised-output
//-     losses[n] = scalar_t(0);
//-     return;
//+     return;
#include <torch/extension.h>

template <typename scalar_t>
__global__ void softmax_focal_kernel(const scalar_t* __restrict__ logits, const int64_t* __restrict__ targets,
                                     const scalar_t* __restrict__ weights, scalar_t* __restrict__ losses,
                                     int samples, int classes, float gamma, int64_t ignore_index) {
  const int n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n >= samples) return;
  const int64_t target = targets[n];
  if (target == ignore_index || target < 0 || target >= classes) {
    losses[n] = scalar_t(0);
    return;
  }
  const scalar_t* row = logits + n * classes;
  scalar_t largest = row[0];
  for (int c = 1; c < classes; ++c) largest = row[c] > largest ? row[c] : largest;
  scalar_t sum = 0;
  for (int c = 0; c < classes; ++c) sum += exp(row[c] - largest);
  const scalar_t log_p = row[target] - largest - log(sum);
  const scalar_t weight = weights[target];
  losses[n] = -weight * pow(scalar_t(1) - exp(log_p), scalar_t(gamma)) * log_p;
}

torch::Tensor softmax_focal(torch::Tensor logits, torch::Tensor targets, torch::Tensor weights, double gamma,
                            int64_t ignore_index) {
  TORCH_CHECK(logits.dim() == 2 && targets.dim() == 1 && weights.dim() == 1);
  TORCH_CHECK(targets.size(0) == logits.size(0) && weights.size(0) == logits.size(1));
  TORCH_CHECK(targets.scalar_type() == at::kLong && weights.scalar_type() == logits.scalar_type());
  TORCH_CHECK(logits.is_contiguous() && targets.is_contiguous() && weights.is_contiguous());
  TORCH_CHECK(logits.size(1) > 0 && gamma >= 0);
  const int samples = logits.size(0);
  const int classes = logits.size(1);
  auto losses = torch::empty({samples}, logits.options());
  if (samples == 0) return losses;
  AT_DISPATCH_FLOATING_TYPES(logits.scalar_type(), "softmax_focal", ([&] {
    softmax_focal_kernel<scalar_t><<<(samples + 255) / 256, 256>>>(
        logits.data_ptr<scalar_t>(), targets.data_ptr<int64_t>(), weights.data_ptr<scalar_t>(),
        losses.data_ptr<scalar_t>(), samples, classes, static_cast<float>(gamma), ignore_index);
  }));
  return losses;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("softmax_focal", &softmax_focal); }
