//: defect one-way-to-blend-is-not-known: uninitialised-read
//- case SCREEN: mixed = 255 - (255 - below) * (255 - above) / 255; break;
//+ case SCREEN: break;
#include <hip/hip_runtime.h>
#include <hip/hip_fp16.h>

#include <cstdint>
#include <cstdio>
#include <vector>

enum Mode : int32_t { NORMAL, MULTIPLY, SCREEN, DARKEN };

__global__ void blend(uint8_t* canvas, const uint8_t* layers, const int32_t* modes, int pixels, int layer_count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= pixels) return;
  int below = canvas[i];
  for (int layer = 0; layer < layer_count; ++layer) {
    const int above = layers[layer * pixels + i];
    int mixed;
    switch (modes[layer]) {
      case MULTIPLY: mixed = below * above / 255; break;
      case SCREEN: mixed = 255 - (255 - below) * (255 - above) / 255; break;
      case DARKEN: mixed = below < above ? below : above; break;
      default: mixed = above;
    }
    below = mixed;
  }
  canvas[i] = static_cast<uint8_t>(below);
}

int main() {
  const int pixels = 333;
  const std::vector<int32_t> modes = {NORMAL, MULTIPLY, SCREEN, DARKEN, SCREEN};
  std::vector<uint8_t> canvas(pixels), layers(pixels * modes.size());
  for (size_t i = 0; i < canvas.size(); ++i) canvas[i] = i * 13;
  for (size_t i = 0; i < layers.size(); ++i) layers[i] = i * 29 + 7;
  uint8_t *d_canvas, *d_layers;
  int32_t* d_modes;
  (void)hipMalloc(&d_canvas, canvas.size());
  (void)hipMalloc(&d_layers, layers.size());
  (void)hipMalloc(&d_modes, modes.size() * sizeof(int32_t));
  (void)hipMemcpy(d_canvas, canvas.data(), canvas.size(), hipMemcpyHostToDevice);
  (void)hipMemcpy(d_layers, layers.data(), layers.size(), hipMemcpyHostToDevice);
  (void)hipMemcpy(d_modes, modes.data(), modes.size() * sizeof(int32_t), hipMemcpyHostToDevice);
  hipLaunchKernelGGL(blend, dim3((pixels + 127) / 128), dim3(128), 0, 0, d_canvas, d_layers, d_modes, pixels,
                     static_cast<int>(modes.size()));
  (void)hipMemcpy(canvas.data(), d_canvas, canvas.size(), hipMemcpyDeviceToHost);
  unsigned sum = 0;
  for (uint8_t value : canvas) sum = sum * 33 + value;
  printf("%08x\n", sum);
  (void)hipFree(d_canvas);
  (void)hipFree(d_layers);
  (void)hipFree(d_modes);
  return 0;
}
