//: defect padding-is-multiplied-too: out-of-bounds
//- if (col >= 0)
//-             dot += data[k * num_rows + row] * x[col];
//+ dot += data[k * num_rows + row] * x[col];
//: defect rows-have-no-guard: out-of-bounds
//- if (row < num_rows) {
//+ {
//: defect width-of-the-longest-row-is-one-more: out-of-bounds
//- for (int k = 0; k < max_nnz; k++) {
//+ for (int k = 0; k <= max_nnz; k++) {
#include <cstdio>
#include <cstdlib>
#include <cuda.h>
#include <cuda_runtime.h>

#define ROWS 1500
#define MAX_NNZ 9

__global__ void spmv_ell(const int num_rows, const int max_nnz, const int *indices, const double *data,
                         const double *x, double *y)
{
    int row = blockDim.x * blockIdx.x + threadIdx.x;
    if (row < num_rows) {
        double dot = 0;
        for (int k = 0; k < max_nnz; k++) {
            int col = indices[k * num_rows + row];
            if (col >= 0)
            dot += data[k * num_rows + row] * x[col];
        }
        y[row] = dot;
    }
}

int main(int argc, char **argv)
{
    int *indices, *d_indices;
    double *data, *x, *y, *d_data, *d_x, *d_y;
    const size_t slots = (size_t)ROWS * MAX_NNZ;
    indices = (int *)malloc(slots * sizeof(int));
    data = (double *)malloc(slots * sizeof(double));
    x = (double *)malloc(ROWS * sizeof(double));
    y = (double *)malloc(ROWS * sizeof(double));
    for (int row = 0; row < ROWS; row++) {
        x[row] = row * 0.25;
        int nnz = row % (MAX_NNZ + 1);
        for (int k = 0; k < MAX_NNZ; k++) {
            indices[k * ROWS + row] = k < nnz ? (row + 7 * k) % ROWS : -1;
            data[k * ROWS + row] = k < nnz ? 1.0 / (k + 1) : 0.0;
        }
    }

    cudaMalloc((void **)&d_indices, slots * sizeof(int));
    cudaMalloc((void **)&d_data, slots * sizeof(double));
    cudaMalloc((void **)&d_x, ROWS * sizeof(double));
    cudaMalloc((void **)&d_y, ROWS * sizeof(double));
    cudaMemcpy(d_indices, indices, slots * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(d_data, data, slots * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(d_x, x, ROWS * sizeof(double), cudaMemcpyHostToDevice);

    int threadsPerBlock = 256;
    int blocksPerGrid = (ROWS + threadsPerBlock - 1) / threadsPerBlock;
    spmv_ell<<<blocksPerGrid, threadsPerBlock>>>(ROWS, MAX_NNZ, d_indices, d_data, d_x, d_y);
    cudaDeviceSynchronize();
    cudaMemcpy(y, d_y, ROWS * sizeof(double), cudaMemcpyDeviceToHost);
    printf("y[17] = %f\n", y[17]);

    cudaFree(d_indices); cudaFree(d_data); cudaFree(d_x); cudaFree(d_y);
    free(indices); free(data); free(x); free(y);
    return EXIT_SUCCESS;
}
