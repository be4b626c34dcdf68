//: defect planes-are-taken-as-square: own-check|out-of-bounds
//- const int plane = nx * ny;
//+ const int plane = nx * nx;
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define C2 0.1f

__global__ void wave_step(const float *now, const float *before, float *after, int nx, int ny, int nz) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1) return;
  const int plane = nx * ny;
  for (int z = 1; z < nz - 1; z++) {
    int i = z * plane + y * nx + x;
    float laplace = now[i - 1] + now[i + 1] + now[i - nx] + now[i + nx] + now[i - plane] + now[i + plane] - 6.0f * now[i];
    after[i] = 2.0f * now[i] - before[i] + C2 * laplace;
  }
}

static void step_on_host(const float *now, const float *before, float *after, int nx, int ny, int nz) {
  for (int z = 1; z < nz - 1; z++)
    for (int y = 1; y < ny - 1; y++)
      for (int x = 1; x < nx - 1; x++) {
        int i = (z * ny + y) * nx + x;
        float laplace = now[i - 1] + now[i + 1] + now[i - nx] + now[i + nx] + now[i - nx * ny] + now[i + nx * ny] - 6.0f * now[i];
        after[i] = 2.0f * now[i] - before[i] + C2 * laplace;
      }
}

int main() {
  const int nx = 13, ny = 22, nz = 7;
  const size_t cells = nx * ny * nz, bytes = cells * sizeof(float);
  float *host[3], *check[3], *device[3];
  for (int f = 0; f < 3; f++) {
    host[f] = (float *)malloc(bytes);
    check[f] = (float *)malloc(bytes);
    for (size_t i = 0; i < cells; i++) check[f][i] = host[f][i] = f == 2 ? 0.0f : sinf(0.01f * i * (f + 1));
    cudaMalloc((void **)&device[f], bytes);
    cudaMemcpy(device[f], host[f], bytes, cudaMemcpyHostToDevice);
  }
  dim3 threads(8, 8), blocks((nx + 7) / 8, (ny + 7) / 8);
  for (int step = 0; step < 4; step++) {
    wave_step<<<blocks, threads>>>(device[step % 3], device[(step + 2) % 3], device[(step + 1) % 3], nx, ny, nz);
    step_on_host(check[step % 3], check[(step + 2) % 3], check[(step + 1) % 3], nx, ny, nz);
  }
  cudaMemcpy(host[0], device[1], bytes, cudaMemcpyDeviceToHost);
  float worst = 0.0f;
  for (size_t i = 0; i < cells; i++) worst = fmaxf(worst, fabsf(host[0][i] - check[1][i]));
  printf("maximum error: %g\n", worst);
  for (int f = 0; f < 3; f++) {
    free(host[f]);
    free(check[f]);
    cudaFree(device[f]);
  }
  if (!(worst < 1e-3f)) {
    printf("FAILED\n");
    exit(1);
  }
  printf("PASSED\n");
  return 0;
}
