//: defect corners-of-the-apron-are-not-loaded: uninitialised-read|own-check
//- for (int i = ty * TILE + tx; i < SIDE * SIDE; i += TILE * TILE) {
//-     const int sx = clamp_to((int)(blockIdx.x * TILE) + i % SIDE - 1, width);
//-     const int sy = clamp_to((int)(blockIdx.y * TILE) + i / SIDE - 1, height);
//-     tile[i / SIDE][i % SIDE] = in[sy * width + sx];
//-   }
//+ const int sx = clamp_to(x, width), sy = clamp_to(y, height);
//+   tile[ty + 1][tx + 1] = in[sy * width + sx];
//+   if (tx == 0) tile[ty + 1][0] = in[sy * width + clamp_to(x - 1, width)];
//+   if (tx == TILE - 1) tile[ty + 1][SIDE - 1] = in[sy * width + clamp_to(x + 1, width)];
//+   if (ty == 0) tile[0][tx + 1] = in[clamp_to(y - 1, height) * width + sx];
//+   if (ty == TILE - 1) tile[SIDE - 1][tx + 1] = in[clamp_to(y + 1, height) * width + sx];
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#define TILE 8
#define SIDE (TILE + 2)

__device__ __host__ inline int clamp_to(int i, int size) { return i < 0 ? 0 : (i >= size ? size - 1 : i); }

__global__ void median3x3(const unsigned char* in, unsigned char* out, int width, int height) {
  __shared__ unsigned char tile[SIDE][SIDE];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int x = blockIdx.x * TILE + tx, y = blockIdx.y * TILE + ty;
  for (int i = ty * TILE + tx; i < SIDE * SIDE; i += TILE * TILE) {
    const int sx = clamp_to((int)(blockIdx.x * TILE) + i % SIDE - 1, width);
    const int sy = clamp_to((int)(blockIdx.y * TILE) + i / SIDE - 1, height);
    tile[i / SIDE][i % SIDE] = in[sy * width + sx];
  }
  __syncthreads();
  if (x >= width || y >= height) return;
  unsigned char v[9];
  for (int dy = 0; dy < 3; ++dy)
    for (int dx = 0; dx < 3; ++dx) v[dy * 3 + dx] = tile[ty + dy][tx + dx];
  for (int i = 0; i < 5; ++i) {
    int smallest = i;
    for (int j = i + 1; j < 9; ++j)
      if (v[j] < v[smallest]) smallest = j;
    const unsigned char swapped = v[i];
    v[i] = v[smallest];
    v[smallest] = swapped;
  }
  out[y * width + x] = v[4];
}

int main() {
  const int width = 29, height = 19;
  std::vector<unsigned char> image(width * height), result(width * height);
  for (int i = 0; i < width * height; ++i) image[i] = (unsigned char)((i * 2654435761u) >> 24);
  unsigned char *in, *out;
  cudaMalloc(&in, image.size());
  cudaMalloc(&out, image.size());
  cudaMemcpy(in, image.data(), image.size(), cudaMemcpyHostToDevice);
  median3x3<<<dim3((width + TILE - 1) / TILE, (height + TILE - 1) / TILE), dim3(TILE, TILE)>>>(in, out, width, height);
  cudaMemcpy(result.data(), out, result.size(), cudaMemcpyDeviceToHost);
  cudaFree(in);
  cudaFree(out);
  int wrong = 0;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      std::vector<unsigned char> v;
      for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx) v.push_back(image[clamp_to(y + dy, height) * width + clamp_to(x + dx, width)]);
      std::nth_element(v.begin(), v.begin() + 4, v.end());
      wrong += v[4] != result[y * width + x];
    }
  }
  std::printf("%d wrong pixels\n", wrong);
  return wrong != 0;
}
