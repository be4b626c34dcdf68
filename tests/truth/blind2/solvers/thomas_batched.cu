//: defect coefficients-of-the-next-row: out-of-bounds
//- const double pivot = diag[at] - lower[at] * scratch[at - systems];
//+ const double pivot = diag[at + systems] - lower[at + systems] * scratch[at - systems];
//: defect back-substitution-begins-behind-the-end: out-of-bounds|uninitialised-read
//- for (int row = rows - 2; row >= 0; --row) {
//+ for (int row = rows - 1; row >= 0; --row) {
//: defect first-row-is-not-eliminated: uninitialised-read
//- scratch[s] = upper[s] / diag[s];
//+
#include <cuda_runtime.h>

// Systems are interleaved: element `row` of system `s` lies at `row * systems + s`.
__global__ void solve_tridiagonal(const double* lower, const double* diag, const double* upper, double* rhs,
                                  double* scratch, int rows, int systems) {
  const int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= systems) return;
  scratch[s] = upper[s] / diag[s];
  rhs[s] = rhs[s] / diag[s];
  for (int row = 1; row < rows; ++row) {
    const int at = row * systems + s;
    const double pivot = diag[at] - lower[at] * scratch[at - systems];
    scratch[at] = upper[at] / pivot;
    rhs[at] = (rhs[at] - lower[at] * rhs[at - systems]) / pivot;
  }
  for (int row = rows - 2; row >= 0; --row) {
    const int at = row * systems + s;
    rhs[at] -= scratch[at] * rhs[at + systems];
  }
}

namespace pde {

/// Solves `systems` tridiagonal systems of `rows` rows; all pointers are on the device.
cudaError_t solve(const double* lower, const double* diag, const double* upper, double* rhs, int rows, int systems,
                  cudaStream_t stream) {
  if (rows < 1 || systems < 1) return cudaErrorInvalidValue;
  double* scratch = nullptr;
  cudaError_t status = cudaMalloc(&scratch, sizeof(double) * rows * systems);
  if (status != cudaSuccess) return status;
  solve_tridiagonal<<<(systems + 127) / 128, 128, 0, stream>>>(lower, diag, upper, rhs, scratch, rows, systems);
  status = cudaStreamSynchronize(stream);
  cudaFree(scratch);
  return status;
}

}  // namespace pde
