//: defect last-outputs-reach-behind-the-signal: out-of-bounds
//- return n < taps ? 0 : (n - taps) / factor + 1;
//+ return n < taps ? 0 : (n + factor - 1) / factor;
//: defect taps-are-loaded-by-one-warp: uninitialised-read|race
//- for (int k = threadIdx.x; k < taps; k += blockDim.x) filter[k] = coefficients[k];
//+ if (threadIdx.x < 4) filter[threadIdx.x] = coefficients[threadIdx.x];
#include <cuda_runtime.h>

#define MAX_TAPS 64

__global__ void fir_decimate(const float* signal, const float* coefficients, float* out, int outputs, int taps,
                             int factor) {
  __shared__ float filter[MAX_TAPS];
  for (int k = threadIdx.x; k < taps; k += blockDim.x) filter[k] = coefficients[k];
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= outputs) return;
  float sum = 0.f;
  for (int k = 0; k < taps; ++k) sum += filter[k] * signal[i * factor + k];
  out[i] = sum;
}

int count_outputs(int n, int taps, int factor) {
  return n < taps ? 0 : (n - taps) / factor + 1;
}

// All three arrays are on the host; returns the number of outputs, or -1.
int decimate(const float* signal, int n, const float* coefficients, int taps, int factor, float* out) {
  if (n < 0 || taps <= 0 || taps > MAX_TAPS || factor <= 0) return -1;
  const int outputs = count_outputs(n, taps, factor);
  if (outputs == 0) return 0;
  float *d_signal, *d_coefficients, *d_out;
  cudaMalloc(&d_signal, n * sizeof(float));
  cudaMalloc(&d_coefficients, taps * sizeof(float));
  cudaMalloc(&d_out, outputs * sizeof(float));
  cudaMemcpy(d_signal, signal, n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(d_coefficients, coefficients, taps * sizeof(float), cudaMemcpyHostToDevice);
  fir_decimate<<<(outputs + 127) / 128, 128>>>(d_signal, d_coefficients, d_out, outputs, taps, factor);
  cudaMemcpy(out, d_out, outputs * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(d_signal);
  cudaFree(d_coefficients);
  cudaFree(d_out);
  return outputs;
}

int main() {
  float signal[301], taps[13], out[301];
  for (int i = 0; i < 301; ++i) signal[i] = (i % 17) * 0.125f;
  for (int k = 0; k < 13; ++k) taps[k] = 1.0f / (k + 1);
  return decimate(signal, 301, taps, 13, 3, out) > 0 ? 0 : 1;
}
