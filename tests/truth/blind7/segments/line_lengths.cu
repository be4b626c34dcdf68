//: defect last-line-has-an-end-too: out-of-bounds
//- const int end = line + 1 < lines ? starts[line + 1] - 1 : length;
//+ const int end = starts[line + 1] - 1;
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <cuda_runtime.h>

// Length of each line, the line feeds not counted, and how many blanks it begins with.
__global__ void lineLengths(const char *text, int length, const int *starts, int lines, int *lengths, int *indents) {
  for (int line = blockIdx.x * blockDim.x + threadIdx.x; line < lines; line += blockDim.x * gridDim.x) {
    const int end = line + 1 < lines ? starts[line + 1] - 1 : length;
    int first = starts[line];
    while (first < end && text[first] == ' ') ++first;
    lengths[line] = end - starts[line];
    indents[line] = first - starts[line];
  }
}

static void check(cudaError_t status) {
  if (status != cudaSuccess) {
    std::fprintf(stderr, "%s\n", cudaGetErrorString(status));
    std::exit(2);
  }
}

int main() {
  const char *text = "begin\n  first\n\n  second line\nend";
  const int length = std::strlen(text);
  std::vector<int> starts(1, 0);
  for (int i = 0; i < length; ++i)
    if (text[i] == '\n') starts.push_back(i + 1);
  const int lines = starts.size();

  char *d_text;
  int *d_starts, *d_lengths, *d_indents;
  check(cudaMalloc(&d_text, length));
  check(cudaMalloc(&d_starts, lines * sizeof(int)));
  check(cudaMalloc(&d_lengths, lines * sizeof(int)));
  check(cudaMalloc(&d_indents, lines * sizeof(int)));
  check(cudaMemcpy(d_text, text, length, cudaMemcpyHostToDevice));
  check(cudaMemcpy(d_starts, starts.data(), lines * sizeof(int), cudaMemcpyHostToDevice));
  lineLengths<<<1, 64>>>(d_text, length, d_starts, lines, d_lengths, d_indents);
  check(cudaGetLastError());
  std::vector<int> lengths(lines), indents(lines);
  check(cudaMemcpy(lengths.data(), d_lengths, lines * sizeof(int), cudaMemcpyDeviceToHost));
  check(cudaMemcpy(indents.data(), d_indents, lines * sizeof(int), cudaMemcpyDeviceToHost));
  for (int i = 0; i < lines; ++i) std::printf("%d: %d characters, %d blanks\n", i, lengths[i], indents[i]);
  cudaFree(d_text);
  cudaFree(d_starts);
  cudaFree(d_lengths);
  cudaFree(d_indents);
  return 0;
}
