//: defect upper-band-of-the-last-row-is-read: out-of-bounds
//- const int last = min(n - 1, row + upper);
//+ const int last = row + upper;
//: defect bands-are-stored-row-by-row: out-of-bounds
//- sum += bands[(size_t)(column - row + lower) * n + row] * x[column];
//+ sum += bands[(size_t)row * n + (column - row + lower)] * x[column];
#include <cuda_runtime.h>
#include <stddef.h>

/* Bands lie behind one another, `lower + upper + 1` of n doubles. */
__global__ void band_matvec(const double *bands, const double *x, double *y, int n, int lower, int upper)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n)
        return;
    const int first = max(0, row - lower);
    const int last = min(n - 1, row + upper);
    double sum = 0.0;
    for (int column = first; column <= last; column++)
        sum += bands[(size_t)(column - row + lower) * n + row] * x[column];
    y[row] = sum;
}

int band_multiply(const double *host_bands, const double *host_x, double *host_y, int n, int lower, int upper)
{
    double *bands, *x, *y;
    size_t band_bytes;
    if (n < 1 || lower < 0 || upper < 0 || lower >= n || upper >= n)
        return -1;
    band_bytes = (size_t)(lower + upper + 1) * n * sizeof(double);
    cudaMalloc((void **)&bands, band_bytes);
    cudaMalloc((void **)&x, n * sizeof(double));
    cudaMalloc((void **)&y, n * sizeof(double));
    cudaMemcpy(bands, host_bands, band_bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(x, host_x, n * sizeof(double), cudaMemcpyHostToDevice);
    band_matvec<<<(n + 63) / 64, 64>>>(bands, x, y, n, lower, upper);
    cudaMemcpy(host_y, y, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(bands);
    cudaFree(x);
    cudaFree(y);
    return 0;
}
