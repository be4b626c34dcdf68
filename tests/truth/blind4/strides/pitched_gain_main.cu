//: defect rows-are-written-without-their-pitch: uninitialised-read
//- float* line = reinterpret_cast<float*>(target + y * pitch);
//+ float* line = reinterpret_cast<float*>(target + y * width * sizeof(float));
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

__global__ void pitched_gain(const char* source, char* target, size_t pitch, int width, int height, float gain) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const float* from = reinterpret_cast<const float*>(source + y * pitch);
  float* line = reinterpret_cast<float*>(target + y * pitch);
  line[x] = gain * from[x];
}

int main() {
  const int width = 75, height = 21;
  std::vector<float> image(width * height, 1.5f);
  char *source, *target;
  size_t pitch = 0;
  cudaMallocPitch(reinterpret_cast<void**>(&source), &pitch, width * sizeof(float), height);
  cudaMallocPitch(reinterpret_cast<void**>(&target), &pitch, width * sizeof(float), height);
  cudaMemcpy2D(source, pitch, image.data(), width * sizeof(float), width * sizeof(float), height,
               cudaMemcpyHostToDevice);
  pitched_gain<<<dim3((width + 31) / 32, (height + 7) / 8), dim3(32, 8)>>>(source, target, pitch, width, height, 2.f);
  cudaMemcpy2D(image.data(), width * sizeof(float), target, pitch, width * sizeof(float), height,
               cudaMemcpyDeviceToHost);
  cudaFree(source);
  cudaFree(target);
  float sum = 0.f;
  for (float value : image) sum += value;
  printf("sum %f\n", sum);
  return 0;
}
