//: defect rows-are-scanned-by-half-a-wave: uninitialised-read|race|out-of-bounds
//- if (lane == warpSize - 1) ends[wave] = value;
//+ if (lane == 63) ends[wave] = value;
//: defect last-wave-adds-what-is-not-there: uninitialised-read|out-of-bounds|array-bounds
//- for (int w = 0; w < wave; ++w) before += ends[w];
//+ for (int w = 0; w <= blockDim.x / 32; ++w) before += ends[w];
#include <hip/hip_runtime.h>

// Running sums of a row of up to 256 values, wave by wave.
__global__ void scan_row(const int* in, int* out, int width) {
  __shared__ int ends[8];
  const int t = threadIdx.x;
  const int lane = t % warpSize, wave = t / warpSize;
  int value = t < width ? in[blockIdx.x * width + t] & 0xffff : 0;
  for (int offset = 1; offset < warpSize; offset *= 2) {
    const int other = __shfl_up(value, offset);
    if (lane >= offset) value += other;
  }
  if (lane == warpSize - 1) ends[wave] = value;
  __syncthreads();
  int before = 0;
  for (int w = 0; w < wave; ++w) before += ends[w];
  if (t < width) out[blockIdx.x * width + t] = value + before;
}

bool scan_rows(const int* host_in, int* host_out, int rows, int width) {
  if (rows <= 0 || width <= 0 || width > 256) return false;
  int *in, *out;
  const size_t bytes = sizeof(int) * rows * width;
  if (hipMalloc(&in, bytes) != hipSuccess || hipMalloc(&out, bytes) != hipSuccess) return false;
  hipMemcpy(in, host_in, bytes, hipMemcpyHostToDevice);
  hipLaunchKernelGGL(scan_row, dim3(rows), dim3(256), 0, 0, in, out, width);
  hipMemcpy(host_out, out, bytes, hipMemcpyDeviceToHost);
  hipFree(in);
  hipFree(out);
  return true;
}
