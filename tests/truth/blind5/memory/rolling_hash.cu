//: defect hash-is-kept-in-a-signed-int: integer-overflow
//- unsigned int h = 5381u;
//+ int h = 5381;
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

__global__ void djb2(const char* text, const int* begins, unsigned int* hashes, int words) {
  int w = blockIdx.x * blockDim.x + threadIdx.x;
  if (w < words) {
    unsigned int h = 5381u;
    for (int k = begins[w]; k < begins[w + 1]; ++k) h = h * 33 + text[k];
    hashes[w] = h;
  }
}

int main() {
  std::string text;
  std::vector<int> begins = {0};
  for (int w = 0; w < 50; ++w) {
    text += std::string("word-number-") + std::to_string(w * w);
    begins.push_back((int)text.size());
  }
  const int words = 50;
  char* d_text;
  int* d_begins;
  unsigned int* d_hashes;
  cudaMalloc((void**)&d_text, text.size());
  cudaMalloc((void**)&d_begins, begins.size() * sizeof(int));
  cudaMalloc((void**)&d_hashes, words * sizeof(unsigned int));
  cudaMemcpy(d_text, text.data(), text.size(), cudaMemcpyHostToDevice);
  cudaMemcpy(d_begins, begins.data(), begins.size() * sizeof(int), cudaMemcpyHostToDevice);
  djb2<<<2, 32>>>(d_text, d_begins, d_hashes, words);
  std::vector<unsigned int> hashes(words);
  cudaMemcpy(hashes.data(), d_hashes, words * sizeof(unsigned int), cudaMemcpyDeviceToHost);
  for (int w = 0; w < words; ++w) {
    unsigned int expected = 5381u;
    for (int k = begins[w]; k < begins[w + 1]; ++k) expected = expected * 33u + text[k];
    if (expected != hashes[w]) return printf("word %d differs\n", w), 1;
  }
  printf("%d hashes agree\n", words);
  return 0;
}
