//: defect field-at-the-edge-is-always-joined: shift|out-of-bounds
//- if (offset + width > 32) field |= words[word + 1] << (32 - offset);
//+ field |= words[word + 1] << (32 - offset);
//: defect words-are-rounded-down: out-of-bounds
//- const size_t words = ((size_t)count * width + 31) / 32;
//+ const size_t words = (size_t)count * width / 32;
//: defect full-field-is-masked-by-a-shift: shift
//- return width == 32 ? 0xffffffffu : (1u << width) - 1u;
//+ return (1u << width) - 1u;
#include <cuda_runtime.h>

#include <cstdint>
#include <stdexcept>
#include <vector>

__device__ __forceinline__ uint32_t field_mask(int width) {
  return width == 32 ? 0xffffffffu : (1u << width) - 1u;
}

__global__ void unpack_fields(const uint32_t* __restrict__ words, uint32_t* __restrict__ fields, int count,
                              int width) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const uint64_t bit = static_cast<uint64_t>(i) * width;
  const uint64_t word = bit >> 5;
  const int offset = static_cast<int>(bit & 31);
  uint32_t field = words[word] >> offset;
  if (offset + width > 32) field |= words[word + 1] << (32 - offset);
  fields[i] = field & field_mask(width);
}

std::vector<uint32_t> unpack(const std::vector<uint32_t>& packed, int count, int width) {
  if (width < 1 || width > 32 || count < 1 || count > (1 << 30)) throw std::invalid_argument("count or width");
  const size_t words = ((size_t)count * width + 31) / 32;
  if (packed.size() < words) throw std::invalid_argument("too few words");
  uint32_t *d_words = nullptr, *d_fields = nullptr;
  cudaMalloc(&d_words, words * sizeof(uint32_t));
  cudaMalloc(&d_fields, count * sizeof(uint32_t));
  cudaMemcpy(d_words, packed.data(), words * sizeof(uint32_t), cudaMemcpyHostToDevice);
  const int block_size = 192;
  const int num_blocks = (count + block_size - 1) / block_size;
  unpack_fields<<<num_blocks, block_size>>>(d_words, d_fields, count, width);
  std::vector<uint32_t> fields(count);
  cudaMemcpy(fields.data(), d_fields, count * sizeof(uint32_t), cudaMemcpyDeviceToHost);
  cudaFree(d_words);
  cudaFree(d_fields);
  return fields;
}

int main() {
  std::vector<uint32_t> packed(1000);
  for (size_t i = 0; i < packed.size(); ++i) packed[i] = uint32_t(i * 2654435761u);
  if (unpack(packed, 905, 32).back() != packed[904]) return 1;
  return unpack(packed, 1003, 13).size() == 1003 ? 0 : 1;
}
