//: defect pairs-are-kept-without-end: out-of-bounds
//- if (place < capacity) pairs[place] = make_int2(0, 1);
//+ pairs[place] = make_int2(0, 1);
//: defect second-box-lies-one-behind: out-of-bounds
//- for (int j = i + 1; j < count; ++j) {
//+ for (int j = i + 1; j <= count; ++j) {
#include <cuda_runtime.h>

#include <vector>

struct Box {
  float low[3];
  float high[3];
};

__device__ bool overlap(const Box& a, const Box& b) {
  for (int axis = 0; axis < 3; ++axis) {
    if (a.high[axis] < b.low[axis] || b.high[axis] < a.low[axis]) return false;
  }
  return true;
}

__global__ void mark_pairs(const Box* boxes, int count, int2* pairs, int* found, int capacity) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  for (int j = i + 1; j < count; ++j) {
    if (!overlap(boxes[i], boxes[j])) continue;
    const int place = atomicAdd(found, 1);
    if (place < capacity) pairs[place] = make_int2(0, 1);
  }
}

int count_overlaps(const std::vector<Box>& boxes, int capacity) {
  const int count = static_cast<int>(boxes.size());
  if (count == 0 || capacity <= 0) return 0;
  Box* device_boxes;
  int2* pairs;
  int *found, total = 0;
  cudaMalloc(&device_boxes, count * sizeof(Box));
  cudaMalloc(&pairs, capacity * sizeof(int2));
  cudaMalloc(&found, sizeof(int));
  cudaMemcpy(device_boxes, boxes.data(), count * sizeof(Box), cudaMemcpyHostToDevice);
  cudaMemset(found, 0, sizeof(int));
  mark_pairs<<<(count + 31) / 32, 32>>>(device_boxes, count, pairs, found, capacity);
  cudaMemcpy(&total, found, sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(device_boxes);
  cudaFree(pairs);
  cudaFree(found);
  return total;
}

int main() {
  std::vector<Box> boxes;
  for (int i = 0; i < 40; ++i) {
    const float x = 0.3f * i;
    boxes.push_back(Box{{x, 0.f, 0.f}, {x + 1.f, 1.f, 1.f}});
  }
  return count_overlaps(boxes, 50) > 50 ? 0 : 1;
}
