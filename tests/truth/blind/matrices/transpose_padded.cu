//: defect no-barrier-before-the-columns: race|uninitialised-read
//- __syncthreads();
//+
//: defect turned-guard-keeps-the-old-extents: uninitialised-read|race|order-dependent
//- if (tx < rows && ty + j < cols)
//+ if (tx < cols && ty + j < rows)
//: defect tile-has-too-few-rows: array-bounds|out-of-bounds
//- __shared__ T tile[TILE_DIM][TILE_DIM + 1];
//+ __shared__ T tile[BLOCK_ROWS][TILE_DIM + 1];
#include <cstdio>
#include <cuda_runtime.h>
#include <vector>

#define TILE_DIM 32
#define BLOCK_ROWS 8

template <class T>
__global__ void transpose(T *__restrict__ turned, const T *__restrict__ matrix, int cols, int rows)
{
    __shared__ T tile[TILE_DIM][TILE_DIM + 1];

    int x = blockIdx.x * TILE_DIM + threadIdx.x;
    int y = blockIdx.y * TILE_DIM + threadIdx.y;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < cols && y + j < rows)
            tile[threadIdx.y + j][threadIdx.x] = matrix[(y + j) * cols + x];

    __syncthreads();

    int tx = blockIdx.y * TILE_DIM + threadIdx.x;
    int ty = blockIdx.x * TILE_DIM + threadIdx.y;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (tx < rows && ty + j < cols)
            turned[(ty + j) * rows + tx] = tile[threadIdx.x][threadIdx.y + j];
}

int main()
{
    const int cols = 150, rows = 70;
    std::vector<double> host(cols * rows), result(cols * rows);
    for (int i = 0; i < cols * rows; ++i)
        host[i] = i;

    double *d_matrix, *d_turned;
    cudaMalloc((void **)&d_matrix, sizeof(double) * cols * rows);
    cudaMalloc((void **)&d_turned, sizeof(double) * cols * rows);
    cudaMemcpy(d_matrix, host.data(), sizeof(double) * cols * rows, cudaMemcpyHostToDevice);

    dim3 dimGrid, dimBlock;
    dimBlock.x = TILE_DIM;
    dimBlock.y = BLOCK_ROWS;
    dimGrid.x = (cols + TILE_DIM - 1) / TILE_DIM;
    dimGrid.y = (rows + TILE_DIM - 1) / TILE_DIM;
    transpose<double><<<dimGrid, dimBlock>>>(d_turned, d_matrix, cols, rows);

    cudaMemcpy(result.data(), d_turned, sizeof(double) * cols * rows, cudaMemcpyDeviceToHost);
    std::printf("%s\n", result[1] == host[cols] ? "PASS" : "FAIL");
    cudaFree(d_matrix);
    cudaFree(d_turned);
    return 0;
}
