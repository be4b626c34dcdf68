//: defect only-those-who-swap-come-to-the-barrier: divergent-barrier|race
//- if (other > i) {
//-         const bool is_ascending = (i & size) == 0;
//-         if ((keys[i] > keys[other]) == is_ascending) {
//-           const int key = keys[i];
//-           keys[i] = keys[other];
//-           keys[other] = key;
//-         }
//-       }
//-       __syncthreads();
//+ if (other > i) {
//+         const bool is_ascending = (i & size) == 0;
//+         if ((keys[i] > keys[other]) == is_ascending) {
//+           const int key = keys[i];
//+           keys[i] = keys[other];
//+           keys[other] = key;
//+         }
//+         __syncthreads();
//+       }
#include <hip/hip_runtime.h>

#include <climits>
#include <cstdio>
#include <vector>

#define ROOM 128

// each block sorts its own part of the keys, the last one filled up with what comes behind all
__global__ void sort_parts(int* all, int n) {
  __shared__ int keys[ROOM];
  const unsigned i = threadIdx.x;
  const int at = blockIdx.x * ROOM + i;
  keys[i] = at < n ? all[at] : INT_MAX;
  __syncthreads();
  for (unsigned size = 2; size <= ROOM; size *= 2) {
    for (unsigned distance = size / 2; distance > 0; distance /= 2) {
      const unsigned other = i ^ distance;
      if (other > i) {
        const bool is_ascending = (i & size) == 0;
        if ((keys[i] > keys[other]) == is_ascending) {
          const int key = keys[i];
          keys[i] = keys[other];
          keys[other] = key;
        }
      }
      __syncthreads();
    }
  }
  if (at < n) all[at] = keys[i];
}

int main() {
  const int n = 300;
  std::vector<int> keys(n);
  for (int i = 0; i < n; ++i) keys[i] = i * 7919 % 1009;
  int* on_device;
  hipMalloc(&on_device, n * sizeof(int));
  hipMemcpy(on_device, keys.data(), n * sizeof(int), hipMemcpyHostToDevice);
  sort_parts<<<(n + ROOM - 1) / ROOM, ROOM>>>(on_device, n);
  hipMemcpy(keys.data(), on_device, n * sizeof(int), hipMemcpyDeviceToHost);
  int mistakes = 0;
  for (int i = 1; i < n; ++i) mistakes += i % ROOM != 0 && keys[i - 1] > keys[i];
  std::printf("%s\n", mistakes ? "FAILED" : "sorted");
  hipFree(on_device);
  return mistakes ? 1 : 0;
}
