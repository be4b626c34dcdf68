//: defect places-before-the-head-do-not-wrap: out-of-bounds|own-check
//- const int from = (head + i - delay + capacity) % capacity;
//+ const int from = (head + i - delay) % capacity;
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

// Mixes a block of a signal with what came `delay` samples before, of a ring that `head` walks around.
__global__ void echo(const float *ring, const float *input, float *output, int capacity, int head, int delay,
                     int count, float gain) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const int from = (head + i - delay + capacity) % capacity;
  output[i] = input[i] + gain * ring[from];
}

__global__ void push(float *ring, const float *input, int capacity, int head, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) ring[(head + i) % capacity] = input[i];
}

class DelayLine {
 public:
  DelayLine(int capacity, int delay) : capacity_(capacity), delay_(delay) {
    cudaMalloc(&ring_, capacity * sizeof(float));
    cudaMemset(ring_, 0, capacity * sizeof(float));
  }
  ~DelayLine() { cudaFree(ring_); }

  void process(const float *input, float *output, int count) {
    const int blocks = (count + 63) / 64;
    push<<<blocks, 64>>>(ring_, input, capacity_, head_, count);
    echo<<<blocks, 64>>>(ring_, input, output, capacity_, head_, delay_, count, 0.5f);
    head_ = (head_ + count) % capacity_;
  }

 private:
  float *ring_ = nullptr;
  int capacity_, delay_, head_ = 0;
};

int main() {
  const int block = 100, blocks = 5, delay = 150;
  std::vector<float> signal(block * blocks), result(block * blocks);
  for (size_t i = 0; i < signal.size(); ++i) signal[i] = i % 17 - 8.f;
  float *input, *output;
  cudaMalloc(&input, block * sizeof(float));
  cudaMalloc(&output, block * sizeof(float));
  {
    DelayLine line(256, delay);
    for (int b = 0; b < blocks; ++b) {
      cudaMemcpy(input, &signal[b * block], block * sizeof(float), cudaMemcpyHostToDevice);
      line.process(input, output, block);
      cudaMemcpy(&result[b * block], output, block * sizeof(float), cudaMemcpyDeviceToHost);
    }
  }
  cudaFree(input);
  cudaFree(output);
  for (int i = 0; i < block * blocks; ++i) {
    const float expected = signal[i] + (i >= delay ? 0.5f * signal[i - delay] : 0.f);
    if (std::abs(result[i] - expected) > 1e-6f) {
      std::printf("sample %d is %f, not %f\n", i, result[i], expected);
      return 1;
    }
  }
  std::printf("echo is right\n");
}
