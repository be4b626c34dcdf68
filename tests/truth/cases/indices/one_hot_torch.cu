//: defect a-class-too-many: out-of-bounds
//- output[i * classes + label] = 1.0f;
//+ output[i * classes + classes] = 1.0f;
//: defect unset-places-hold-rubbish: uninitialised-output|uninitialised-read|trivial-output
//- auto output = torch::zeros({n, classes}, torch::kFloat32);
//+ auto output = torch::empty({n, classes}, torch::kFloat32);
#include <torch/extension.h>

__global__ void one_hot_kernel(const int64_t *labels, float *output, int n, int classes) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int64_t label = labels[i];
  if (label >= 0 && label < classes) {
    output[i * classes + label] = 1.0f;
  }
}

torch::Tensor one_hot(torch::Tensor labels, int classes) {
  TORCH_CHECK(labels.dim() == 1);
  const int n = labels.size(0);
  auto output = torch::zeros({n, classes}, torch::kFloat32);
  one_hot_kernel<<<(n + 255) / 256, 256>>>(labels.data_ptr<int64_t>(), output.data_ptr<float>(), n, classes);
  return output;
}
