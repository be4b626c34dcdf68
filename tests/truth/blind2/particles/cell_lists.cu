//: defect particles-on-the-far-wall-have-no-cell: out-of-bounds
//- return min(max((int)(x / CELL), 0), CELLS - 1);
//+ return (int)(x / CELL);
//: defect counts-are-not-cleared: uninitialised-read
//- cudaMemset(d_counts, 0, CELLS * CELLS * sizeof(int));
//+
//: defect counts-collide: race|order-dependent
//- atomicAdd(&counts[cell_of(y[i]) * CELLS + cell_of(x[i])], 1);
//+ counts[cell_of(y[i]) * CELLS + cell_of(x[i])] += 1;
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define CELLS 8
#define SIDE 4.0f
#define CELL (SIDE / CELLS)

__device__ int cell_of(float x)
{
    return min(max((int)(x / CELL), 0), CELLS - 1);
}

__global__ void count_particles(const float *x, const float *y, int *counts, int particles)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < particles)
        atomicAdd(&counts[cell_of(y[i]) * CELLS + cell_of(x[i])], 1);
}

int main(int argc, char **argv)
{
    int particles = argc > 1 ? atoi(argv[1]) : 777;
    size_t bytes = particles * sizeof(float);
    float *x = (float *)malloc(bytes), *y = (float *)malloc(bytes);
    for (int i = 0; i < particles; i++) {
        x[i] = SIDE * i / (particles - 1);
        y[i] = SIDE * ((i * 37) % particles) / (particles - 1);
    }
    float *d_x, *d_y;
    int *d_counts, counts[CELLS * CELLS];
    cudaMalloc((void **)&d_x, bytes);
    cudaMalloc((void **)&d_y, bytes);
    cudaMalloc((void **)&d_counts, CELLS * CELLS * sizeof(int));
    cudaMemcpy(d_x, x, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(d_y, y, bytes, cudaMemcpyHostToDevice);
    cudaMemset(d_counts, 0, CELLS * CELLS * sizeof(int));
    count_particles<<<(particles + 127) / 128, 128>>>(d_x, d_y, d_counts, particles);
    cudaMemcpy(counts, d_counts, sizeof counts, cudaMemcpyDeviceToHost);
    int sum = 0;
    for (int c = 0; c < CELLS * CELLS; c++) sum += counts[c];
    printf("%d of %d particles are in a cell, the last has %d\n", sum, particles, counts[CELLS * CELLS - 1]);
    free(x);
    free(y);
    return 0;
}
