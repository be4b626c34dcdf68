//: defect bytes-are-signed-characters: out-of-bounds
//- __global__ void count_classes(const unsigned char* text,
//+ __global__ void count_classes(const signed char* text,
//- unsigned char* d_text;
//+ signed char* d_text;
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

// counts letters, digits, spaces and the rest by a table with an entry for each byte
__global__ void count_classes(const unsigned char* text, const int* classes, unsigned* counts, int length) {
  __shared__ unsigned local[4];
  if (threadIdx.x < 4) local[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < length; i += gridDim.x * blockDim.x)
    atomicAdd(&local[classes[text[i]]], 1u);
  __syncthreads();
  if (threadIdx.x < 4) atomicAdd(&counts[threadIdx.x], local[threadIdx.x]);
}

int main() {
  std::string text;
  for (int i = 0; i < 40; ++i) text += "Gr\xc3\xb6\xc3\x9f" "e 42, na\xc3\xafve caf\xc3\xa9; ";
  std::vector<int> classes(256, 3);
  for (int c = 'a'; c <= 'z'; ++c) classes[c] = classes[c - 'a' + 'A'] = 0;
  for (int c = '0'; c <= '9'; ++c) classes[c] = 1;
  classes[' '] = 2;

  unsigned char* d_text;
  int* d_classes;
  unsigned *d_counts, counts[4];
  cudaMalloc(&d_text, text.size());
  cudaMalloc(&d_classes, 256 * sizeof(int));
  cudaMalloc(&d_counts, sizeof counts);
  cudaMemcpy(d_text, text.data(), text.size(), cudaMemcpyHostToDevice);
  cudaMemcpy(d_classes, classes.data(), 256 * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemset(d_counts, 0, sizeof counts);
  count_classes<<<4, 128>>>(d_text, d_classes, d_counts, static_cast<int>(text.size()));
  cudaMemcpy(counts, d_counts, sizeof counts, cudaMemcpyDeviceToHost);
  std::printf("letters %u, digits %u, spaces %u, others %u\n", counts[0], counts[1], counts[2], counts[3]);
  cudaFree(d_text);
  cudaFree(d_classes);
  cudaFree(d_counts);
  return 0;
}
