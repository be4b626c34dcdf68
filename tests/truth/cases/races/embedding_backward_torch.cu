//: defect rows-of-one-word-collide: race|order-dependent
//- atomicAdd(&grad_weight[word * dim + d], grad_output[token * dim + d]);
//+ grad_weight[word * dim + d] += grad_output[token * dim + d];
#include <torch/extension.h>

__global__ void embedding_backward_kernel(const float *__restrict__ grad_output, const int *__restrict__ words,
                                          float *__restrict__ grad_weight, const int dim, const int padding_idx) {
  const int token = blockIdx.x;
  const int word = words[token];
  if (word == padding_idx) return;
  for (int d = threadIdx.x; d < dim; d += blockDim.x)
    atomicAdd(&grad_weight[word * dim + d], grad_output[token * dim + d]);
}

torch::Tensor embedding_backward(torch::Tensor grad_output, torch::Tensor words, int num_words, int padding_idx) {
  TORCH_CHECK(grad_output.dim() == 2 && words.dim() == 1 && grad_output.size(0) == words.size(0));
  const int tokens = words.size(0);
  const int dim = grad_output.size(1);
  auto grad_weight = torch::zeros({num_words, dim}, grad_output.options());
  embedding_backward_kernel<<<tokens, 128>>>(grad_output.data_ptr<float>(), words.data_ptr<int>(),
                                             grad_weight.data_ptr<float>(), dim, padding_idx);
  return grad_weight;
}
