//: defect quotient-is-taken-too-early: own-check
//- const int from_x = x * in_width / out_width;
//+ const int from_x = x * (in_width / out_width);
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

struct Image {
  int width, height;
  std::vector<unsigned char> pixels;
};

__global__ void resize_nearest(const unsigned char* in, int in_width, int in_height, unsigned char* out, int out_width,
                               int out_height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= out_width || y >= out_height) return;
  const int from_x = x * in_width / out_width;
  const int from_y = y * in_height / out_height;
  out[y * out_width + x] = in[from_y * in_width + from_x];
}

static Image resize(const Image& image, int width, int height) {
  Image result{width, height, std::vector<unsigned char>(width * height)};
  unsigned char *in = nullptr, *out = nullptr;
  cudaMalloc(&in, image.pixels.size());
  cudaMalloc(&out, result.pixels.size());
  cudaMemcpy(in, image.pixels.data(), image.pixels.size(), cudaMemcpyHostToDevice);
  const dim3 block(32, 4);
  const dim3 grid((width + block.x - 1) / block.x, (height + block.y - 1) / block.y);
  resize_nearest<<<grid, block>>>(in, image.width, image.height, out, width, height);
  cudaMemcpy(result.pixels.data(), out, result.pixels.size(), cudaMemcpyDeviceToHost);
  cudaFree(in);
  cudaFree(out);
  return result;
}

static Image resize_on_host(const Image& image, int width, int height) {
  Image result{width, height, std::vector<unsigned char>(width * height)};
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      result.pixels[y * width + x] =
          image.pixels[(y * image.height / height) * image.width + x * image.width / width];
  return result;
}

int main() {
  Image image{90, 50, std::vector<unsigned char>(90 * 50)};
  for (size_t i = 0; i < image.pixels.size(); ++i) image.pixels[i] = (unsigned char)(i * 13 % 251);
  if (resize(image, 60, 33).pixels != resize_on_host(image, 60, 33).pixels) {
    std::puts("test failed: 90x50 to 60x33");
    return 1;
  }
  std::puts("test passed");
  return 0;
}
