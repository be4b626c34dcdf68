//: defect a-class-behind-the-last-is-let-through: out-of-bounds
//- if (label < 0 || label >= classes) {
//+ if (label < 0 || label > classes) {
#include <torch/extension.h>

__global__ void nll_loss_kernel(const float* log_probabilities, const int64_t* labels, float* losses, int64_t rows,
                                int64_t classes) {
  const int64_t row = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const int64_t label = labels[row];
  if (label < 0 || label >= classes) {
    losses[row] = 0.f;
    return;
  }
  losses[row] = -log_probabilities[row * classes + label];
}

torch::Tensor nll_loss(torch::Tensor log_probabilities, torch::Tensor labels) {
  TORCH_CHECK(log_probabilities.dim() == 2 && labels.dim() == 1);
  TORCH_CHECK(labels.size(0) == log_probabilities.size(0), "a label for each row");
  TORCH_CHECK(log_probabilities.scalar_type() == torch::kFloat && labels.scalar_type() == torch::kLong);
  log_probabilities = log_probabilities.contiguous();
  labels = labels.contiguous();
  auto losses = torch::empty({labels.size(0)}, log_probabilities.options());
  if (labels.size(0) == 0) return losses;
  nll_loss_kernel<<<(labels.size(0) + 127) / 128, 128>>>(log_probabilities.data_ptr<float>(),
                                                         labels.data_ptr<int64_t>(), losses.data_ptr<float>(),
                                                         labels.size(0), log_probabilities.size(1));
  return losses;
}
