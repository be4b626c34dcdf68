//: defect last-group-is-taken-as-whole: out-of-bounds
//- const unsigned b1 = i + 1 < n ? bytes[i + 1] : 0;
//+ const unsigned b1 = bytes[i + 1];
//- const unsigned b2 = i + 2 < n ? bytes[i + 2] : 0;
//+ const unsigned b2 = bytes[i + 2];
//: defect text-has-room-for-whole-groups-only: out-of-bounds
//- const size_t length = (n + 2) / 3 * 4;
//+ const size_t length = n / 3 * 4;
#include <cuda_runtime.h>

#include <string>
#include <vector>

__constant__ char kAlphabet[65] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

__global__ void base64_encode(const unsigned char* bytes, char* text, size_t n) {
  const size_t group = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  const size_t i = group * 3;
  if (i >= n) return;
  const unsigned b0 = bytes[i];
  const unsigned b1 = i + 1 < n ? bytes[i + 1] : 0;
  const unsigned b2 = i + 2 < n ? bytes[i + 2] : 0;
  const unsigned word = b0 << 16 | b1 << 8 | b2;
  char* out = text + group * 4;
  out[0] = kAlphabet[word >> 18];
  out[1] = kAlphabet[word >> 12 & 63];
  out[2] = i + 1 < n ? kAlphabet[word >> 6 & 63] : '=';
  out[3] = i + 2 < n ? kAlphabet[word & 63] : '=';
}

std::string encode(const std::vector<unsigned char>& data) {
  const size_t n = data.size();
  if (n == 0) return {};
  const size_t length = (n + 2) / 3 * 4;
  unsigned char* bytes;
  char* text;
  cudaMalloc(&bytes, n);
  cudaMalloc(&text, length);
  cudaMemcpy(bytes, data.data(), n, cudaMemcpyHostToDevice);
  const size_t groups = (n + 2) / 3;
  base64_encode<<<(groups + 255) / 256, 256>>>(bytes, text, n);
  std::string result(length, '\0');
  cudaMemcpy(&result[0], text, length, cudaMemcpyDeviceToHost);
  cudaFree(bytes);
  cudaFree(text);
  return result;
}
