//: defect first-letter-has-one-before: out-of-bounds
//- marks[i] = i == 0 || text[i] != text[i - 1];
//+ marks[i] = text[i] != text[i - 1];
#include <cuda_runtime.h>

namespace words {

__global__ void mark_changes(const char* __restrict__ text, unsigned char* __restrict__ marks, int length) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= length) return;
  marks[i] = i == 0 || text[i] != text[i - 1];
}

/// Marks each letter that differs from the one before it; all is on the device.
void mark(const char* text, unsigned char* marks, int length, cudaStream_t stream) {
  if (length <= 0) return;
  mark_changes<<<(length + 255) / 256, 256, 0, stream>>>(text, marks, length);
}

}  // namespace words
