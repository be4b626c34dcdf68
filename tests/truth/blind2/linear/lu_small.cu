//: defect column-is-read-while-it-is-scaled: race
//-         if (column == k && is_below) a[row][k] /= a[k][k];
//-         __syncthreads();
//+         if (column == k && is_below) a[row][k] /= a[k][k];
//: defect rows-above-miss-a-barrier: divergent-barrier
//-         if (column == k && is_below) a[row][k] /= a[k][k];
//-         __syncthreads();
//+         if (is_below) {
//+             if (column == k) a[row][k] /= a[k][k];
//+             __syncthreads();
//+         }
//: defect matrices-stand-a-row-too-close: race|overwrite|order-dependent|out-of-bounds
//- float *matrix = matrices + (size_t)blockIdx.x * N * N;
//+ float *matrix = matrices + (size_t)blockIdx.x * N * (N - 1);
#include <cuda_runtime.h>

#define N 7

__global__ void lu_decompose(float *matrices)
{
    __shared__ float a[N][N + 1];
    float *matrix = matrices + (size_t)blockIdx.x * N * N;
    const int row = threadIdx.y, column = threadIdx.x;
    if (row < N && column < N) a[row][column] = matrix[row * N + column];
    __syncthreads();
    for (int k = 0; k < N - 1; k++) {
        const bool is_below = row < N && row > k;
        if (column == k && is_below) a[row][k] /= a[k][k];
        __syncthreads();
        if (is_below && column > k && column < N) a[row][column] -= a[row][k] * a[k][column];
        __syncthreads();
    }
    if (row < N && column < N) matrix[row * N + column] = a[row][column];
}

void decompose_all(float *device_matrices, int count)
{
    if (count > 0) {
        lu_decompose<<<count, dim3(8, 8)>>>(device_matrices);
        cudaDeviceSynchronize();
    }
}
