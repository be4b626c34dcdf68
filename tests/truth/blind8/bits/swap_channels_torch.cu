//: defect pixels-of-three-bytes-are-read-as-four: misaligned|out-of-bounds
//- const uint8_t* pixel = in + i * 3;
//-   out[i] = pixel[2] | pixel[1] << 8 | pixel[0] << 16 | 0xff000000u;
//+ const uchar4 pixel = *reinterpret_cast<const uchar4*>(in + i * 3);
//+   out[i] = pixel.z | pixel.y << 8 | pixel.x << 16 | 0xff000000u;
#include <torch/extension.h>

// pixels of red, green and blue become words of blue, green, red and alpha
__global__ void to_words_kernel(const uint8_t* in, uint32_t* out, int64_t pixels) {
  const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= pixels) return;
  const uint8_t* pixel = in + i * 3;
  out[i] = pixel[2] | pixel[1] << 8 | pixel[0] << 16 | 0xff000000u;
}

torch::Tensor to_words(torch::Tensor image) {
  TORCH_CHECK(image.is_cuda() && image.scalar_type() == torch::kByte, "image must be bytes");
  TORCH_CHECK(image.dim() == 3 && image.size(2) == 3, "image must be height x width x 3");
  image = image.contiguous();
  auto out = torch::empty({image.size(0), image.size(1)}, image.options().dtype(torch::kInt));
  const int64_t pixels = out.numel();
  if (pixels == 0) return out;
  to_words_kernel<<<(pixels + 255) / 256, 256>>>(image.data_ptr<uint8_t>(),
                                                reinterpret_cast<uint32_t*>(out.data_ptr<int>()), pixels);
  return out;
}
