//: defect matches-may-begin-at-the-end: out-of-bounds
//- const int last = text_length - pattern_length;
//+ const int last = text_length - 1;
//: defect matches-are-kept-without-end: out-of-bounds
//- if (place < capacity) positions[place] = i;
//+ positions[place] = i;
#include <cuda_runtime.h>

__global__ void find_all(const char* text, int text_length, const char* pattern, int pattern_length, int* positions,
                         int* count, int capacity) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int last = text_length - pattern_length;
  if (i > last) return;
  for (int k = 0; k < pattern_length; ++k) {
    if (text[i + k] != pattern[k]) return;
  }
  const int place = atomicAdd(count, 1);
  if (place < capacity) positions[place] = i;
}

// Returns how many matches there are; the first `capacity` that were seen are in `positions`, in any order.
int search_text(const char* text, int text_length, const char* pattern, int pattern_length, int* positions,
                int capacity) {
  if (pattern_length <= 0 || text_length < pattern_length || capacity <= 0) return 0;
  char *d_text, *d_pattern;
  int *d_positions, *d_count, count = 0;
  cudaMalloc(&d_text, text_length);
  cudaMalloc(&d_pattern, pattern_length);
  cudaMalloc(&d_positions, capacity * sizeof(int));
  cudaMalloc(&d_count, sizeof(int));
  cudaMemcpy(d_text, text, text_length, cudaMemcpyHostToDevice);
  cudaMemcpy(d_pattern, pattern, pattern_length, cudaMemcpyHostToDevice);
  cudaMemset(d_count, 0, sizeof(int));
  find_all<<<(text_length + 127) / 128, 128>>>(d_text, text_length, d_pattern, pattern_length, d_positions, d_count,
                                               capacity);
  cudaMemcpy(&count, d_count, sizeof(int), cudaMemcpyDeviceToHost);
  cudaMemcpy(positions, d_positions, (count < capacity ? count : capacity) * sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(d_text);
  cudaFree(d_pattern);
  cudaFree(d_positions);
  cudaFree(d_count);
  return count;
}

int main() {
  const char text[] = "abababababababababababababababab";
  int positions[4];
  return search_text(text, 32, "aba", 3, positions, 4) == 15 ? 0 : 1;
}
