//: defect last-group-is-taken-as-full: out-of-bounds
//- const unsigned b1 = at + 1 < size ? in[at + 1] : 0, b2 = at + 2 < size ? in[at + 2] : 0;
//+ const unsigned b1 = in[at + 1], b2 = in[at + 2];
#include <cuda_runtime.h>

__constant__ char kAlphabet[65] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

__global__ void encode_base64(const unsigned char* in, char* out, unsigned size) {
  const unsigned group = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned at = group * 3;
  if (at >= size) return;
  const unsigned b0 = in[at];
  const unsigned b1 = at + 1 < size ? in[at + 1] : 0, b2 = at + 2 < size ? in[at + 2] : 0;
  const unsigned bits = b0 << 16 | b1 << 8 | b2;
  out[group * 4] = kAlphabet[bits >> 18];
  out[group * 4 + 1] = kAlphabet[bits >> 12 & 63];
  out[group * 4 + 2] = at + 1 < size ? kAlphabet[bits >> 6 & 63] : '=';
  out[group * 4 + 3] = at + 2 < size ? kAlphabet[bits & 63] : '=';
}

/// Encodes `size` bytes on the host; `out` takes (size + 2) / 3 * 4 letters. Returns a CUDA error.
extern "C" cudaError_t base64(const unsigned char* in, char* out, unsigned size) {
  if (size == 0) return cudaSuccess;
  const unsigned groups = (size + 2) / 3;
  unsigned char* d_in = nullptr;
  char* d_out = nullptr;
  cudaError_t error = cudaMalloc(&d_in, size);
  if (error == cudaSuccess) error = cudaMalloc(&d_out, groups * 4);
  if (error == cudaSuccess) error = cudaMemcpy(d_in, in, size, cudaMemcpyHostToDevice);
  if (error == cudaSuccess) {
    encode_base64<<<(groups + 127) / 128, 128>>>(d_in, d_out, size);
    error = cudaGetLastError();
  }
  if (error == cudaSuccess) error = cudaMemcpy(out, d_out, groups * 4, cudaMemcpyDeviceToHost);
  cudaFree(d_in);
  cudaFree(d_out);
  return error;
}
