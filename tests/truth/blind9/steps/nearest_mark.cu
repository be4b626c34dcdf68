//: defect distances-begin-with-a-negative-pattern: own-check
//- cudaMemset(d_nearest, 0x7f, n * sizeof(int));
//+ cudaMemset(d_nearest, 0xff, n * sizeof(int));
#include <assert.h>
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

/* how far the nearest mark is from each place: a thread for each pair of both */
__global__ void nearest_mark(const int *marks, int *nearest, int n, int mark_count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, m = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < n && m < mark_count) atomicMin(&nearest[i], abs(i - marks[m]));
}

int main(void) {
  const int n = 90, mark_count = 7;
  int marks[7], nearest[90];
  for (int m = 0; m < mark_count; ++m) marks[m] = (m * 37 + 5) % n;
  int *d_marks, *d_nearest;
  cudaMalloc((void **)&d_marks, sizeof marks);
  cudaMalloc((void **)&d_nearest, sizeof nearest);
  cudaMemcpy(d_marks, marks, sizeof marks, cudaMemcpyHostToDevice);
  cudaMemset(d_nearest, 0x7f, n * sizeof(int));
  const dim3 threads(16, 4), blocks((n + 15) / 16, (mark_count + 3) / 4);
  nearest_mark<<<blocks, threads>>>(d_marks, d_nearest, n, mark_count);
  cudaMemcpy(nearest, d_nearest, sizeof nearest, cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; ++i) {
    int expected = n;
    for (int m = 0; m < mark_count; ++m)
      if (abs(i - marks[m]) < expected) expected = abs(i - marks[m]);
    assert(nearest[i] == expected);
  }
  puts("all places agree");
  cudaFree(d_marks);
  cudaFree(d_nearest);
  return 0;
}
