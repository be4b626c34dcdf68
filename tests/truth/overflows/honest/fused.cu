// Multiplies and adds in one step: what is too large in between need not be so at the end.
__global__ void add_products(const float *a, const float *x, float *y, int rows) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.f;
  for (int k = 0; k < 4; ++k) sum = fmaf(a[4 * row + k], x[k], sum);
  y[row] = sum;
}
