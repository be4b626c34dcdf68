//: defect blocks-are-rounded-down: uninitialised-output|uninitialised-read
//- const dim3 grid((width + 15) / 16, (height + 15) / 16);
//+ const dim3 grid((width + 15) / 16, height / 16);
#include <torch/extension.h>

// y = gain * x ^ gamma for every pixel of a grey image
__global__ void gammaCorrect(const float* x, float* y, float gain, float gamma, int width, int height) {
  int col = threadIdx.x + blockIdx.x * blockDim.x;
  int row = threadIdx.y + blockIdx.y * blockDim.y;
  if (col < width && row < height) {
    y[row * width + col] = gain * powf(fabsf(x[row * width + col]), gamma);
  }
}

torch::Tensor gamma_correct(torch::Tensor image, float gain, float gamma) {
  TORCH_CHECK(image.dim() == 2, "image must be (height, width)");
  TORCH_CHECK(image.dtype() == torch::kFloat32, "image must be float32");
  TORCH_CHECK(image.is_contiguous(), "image must be contiguous");
  const int height = image.size(0);
  const int width = image.size(1);
  auto result = torch::empty({height, width}, image.options());
  const dim3 block(16, 16);
  const dim3 grid((width + 15) / 16, (height + 15) / 16);
  gammaCorrect<<<grid, block>>>(image.data_ptr<float>(), result.data_ptr<float>(), gain, gamma, width, height);
  return result;
}
