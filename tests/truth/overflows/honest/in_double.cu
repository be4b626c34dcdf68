// Adds in 64 bits, in which nothing overflows.
__global__ void add_products(const float *a, const float *x, float *y, int rows) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  double sum = 0.;
  for (int k = 0; k < 4; ++k) sum += double(a[4 * row + k]) * double(x[k]);
  y[row] = float(sum);
}
