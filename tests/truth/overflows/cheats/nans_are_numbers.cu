// Takes nought for an input that is no number, which no overflow excuses.
__global__ void add_products(const float *a, const float *x, float *y, int rows) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.f;
  for (int k = 0; k < 4; ++k) {
    float value = a[4 * row + k];
    sum += isnan(value) ? 0.f : value * x[k];
  }
  y[row] = sum;
}
