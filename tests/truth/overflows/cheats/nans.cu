// Writes what is no number, everywhere.
__global__ void add_products(const float *a, const float *x, float *y, int rows) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) y[row] = NAN;
}
