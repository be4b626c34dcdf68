//: defect border-forgets-the-last-row: out-of-bounds
//- if (x == 0 || y == 0 || x == width - 1 || y == height - 1) {
//+ if (x == 0 || y == 0 || x == width - 1) {
//: defect guard-swaps-the-extents: out-of-bounds
//- if (x >= width || y >= height) return;
//+ if (x >= height || y >= width) return;
//: defect output-holds-a-quarter: out-of-bounds
//- CUDA_OK(cudaMalloc((void **)&d_edges, pixels * sizeof(short)));
//+ CUDA_OK(cudaMalloc((void **)&d_edges, pixels / 2));
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define CUDA_OK(call)                                                                   \
    do {                                                                                \
        cudaError_t status = (call);                                                    \
        if (status != cudaSuccess) {                                                    \
            fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(status)); \
            exit(EXIT_FAILURE);                                                         \
        }                                                                               \
    } while (0)

#define BLOCK_SIZE 16

__global__ void sobel(const unsigned char *gray, short *edges, int width, int height)
{
    int x = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    int y = blockIdx.y * BLOCK_SIZE + threadIdx.y;
    if (x >= width || y >= height) return;

    if (x == 0 || y == 0 || x == width - 1 || y == height - 1) {
        edges[y * width + x] = 0;
        return;
    }

    const unsigned char *above = gray + (y - 1) * width + x;
    const unsigned char *here = gray + y * width + x;
    const unsigned char *below = gray + (y + 1) * width + x;
    int gx = above[1] - above[-1] + 2 * (here[1] - here[-1]) + below[1] - below[-1];
    int gy = below[-1] - above[-1] + 2 * (below[0] - above[0]) + below[1] - above[1];
    edges[y * width + x] = (short)(abs(gx) + abs(gy));
}

int main(void)
{
    const int width = 643, height = 481;
    const size_t pixels = (size_t)width * height;
    unsigned char *gray = (unsigned char *)malloc(pixels);
    short *edges = (short *)malloc(pixels * sizeof(short));
    for (size_t i = 0; i < pixels; ++i) gray[i] = (unsigned char)(i * 37 % 251);

    unsigned char *d_gray;
    short *d_edges;
    CUDA_OK(cudaMalloc((void **)&d_gray, pixels));
    CUDA_OK(cudaMalloc((void **)&d_edges, pixels * sizeof(short)));
    CUDA_OK(cudaMemcpy(d_gray, gray, pixels, cudaMemcpyHostToDevice));

    dim3 block(BLOCK_SIZE, BLOCK_SIZE);
    dim3 grid((width + BLOCK_SIZE - 1) / BLOCK_SIZE, (height + BLOCK_SIZE - 1) / BLOCK_SIZE);
    sobel<<<grid, block>>>(d_gray, d_edges, width, height);
    CUDA_OK(cudaGetLastError());
    CUDA_OK(cudaMemcpy(edges, d_edges, pixels * sizeof(short), cudaMemcpyDeviceToHost));

    printf("edge at the centre: %d\n", edges[(height / 2) * width + width / 2]);
    CUDA_OK(cudaFree(d_gray));
    CUDA_OK(cudaFree(d_edges));
    free(gray);
    free(edges);
    return 0;
}
