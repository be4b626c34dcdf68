//: defect value-at-the-upper-end-has-no-right-neighbour: out-of-bounds
//- if (cell > entries - 2) cell = entries - 2;
//+ if (cell > entries - 1) cell = entries - 1;
//: defect values-below-the-table-are-not-clamped: out-of-bounds
//- if (cell < 0) cell = 0;
//+
#include <cuda_runtime.h>

template <typename Real>
__global__ void interpolate_table(const Real* __restrict__ table, int entries, Real low, Real step,
                                  const Real* __restrict__ x, Real* __restrict__ y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const Real place = (x[i] - low) / step;
  int cell = place > Real(0) && place < Real(1e6) ? static_cast<int>(place) : place > Real(0) ? entries : -1;
  if (cell > entries - 2) cell = entries - 2;
  if (cell < 0) cell = 0;
  const Real t = place - cell;
  y[i] = table[cell] * (Real(1) - t) + table[cell + 1] * t;
}

// `table` has at least two entries; all arrays are on the device.
template <typename Real>
bool lookup(const Real* table, int entries, Real low, Real step, const Real* x, Real* y, int n) {
  if (entries < 2 || n <= 0 || !(step > 0)) return false;
  interpolate_table<Real><<<(n + 255) / 256, 256>>>(table, entries, low, step, x, y, n);
  return cudaPeekAtLastError() == cudaSuccess;
}

template bool lookup<float>(const float*, int, float, float, const float*, float*, int);
template bool lookup<double>(const double*, int, double, double, const double*, double*, int);
