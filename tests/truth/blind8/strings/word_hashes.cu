//: defect hash-is-a-signed-number: integer-overflow
//- unsigned hash = 5381;
//+ int hash = 5381;
#include <stdio.h>
#include <string.h>

#include <cuda_runtime.h>

#define WORD 16

/* one thread for each word of a fixed length */
__global__ void hash_words(const char *words, unsigned *hashes, int count) {
  const int w = blockIdx.x * blockDim.x + threadIdx.x;
  if (w >= count) return;
  unsigned hash = 5381;
  for (int i = 0; i < WORD && words[w * WORD + i]; ++i) hash = hash * 33 + words[w * WORD + i];
  hashes[w] = hash;
}

int main(void) {
  const char *names[] = {"kernel", "launch", "configuration", "shared", "registers", "occupancy", "divergent"};
  const int count = sizeof names / sizeof *names;
  char words[7 * WORD];
  unsigned hashes[7];
  memset(words, 0, sizeof words);
  for (int i = 0; i < count; ++i) strncpy(words + i * WORD, names[i], WORD);
  char *d_words;
  unsigned *d_hashes;
  cudaMalloc((void **)&d_words, sizeof words);
  cudaMalloc((void **)&d_hashes, sizeof hashes);
  cudaMemcpy(d_words, words, sizeof words, cudaMemcpyHostToDevice);
  hash_words<<<1, 32>>>(d_words, d_hashes, count);
  cudaMemcpy(hashes, d_hashes, sizeof hashes, cudaMemcpyDeviceToHost);
  for (int i = 0; i < count; ++i) printf("%s %08x\n", names[i], hashes[i]);
  cudaFree(d_words);
  cudaFree(d_hashes);
  return 0;
}
