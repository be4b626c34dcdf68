//: defect no-barrier-on-the-way-down: race
//- offset >>= 1;
//-         __syncthreads();
//+ offset >>= 1;
//: defect shared-memory-for-half-the-block: out-of-bounds
//- scan_block<<<blocks, THREADS, 2 * THREADS * sizeof(int)>>>(d_data, d_sums, n);
//+ scan_block<<<blocks, THREADS, THREADS * sizeof(int)>>>(d_data, d_sums, n);
//: defect tail-is-written-without-a-guard: out-of-bounds
//- if (second < n) data[second] = temp[2 * tid + 1];
//+ data[second] = temp[2 * tid + 1];
//: defect tail-of-the-tile-is-not-cleared: uninitialised-read
//- temp[2 * tid + 1] = second < n ? data[second] : 0;
//+ if (second < n) temp[2 * tid + 1] = data[second];
#include <cuda_runtime.h>
#include <stdio.h>

#define THREADS 128

__global__ void scan_block(int *data, int *sums, int n)
{
    extern __shared__ int temp[];
    const int tid = threadIdx.x;
    const int first = 2 * (blockIdx.x * THREADS + tid);
    const int second = first + 1;
    temp[2 * tid] = first < n ? data[first] : 0;
    temp[2 * tid + 1] = second < n ? data[second] : 0;

    int offset = 1;
    for (int d = THREADS; d > 0; d >>= 1) {
        __syncthreads();
        if (tid < d) {
            int a = offset * (2 * tid + 1) - 1;
            int b = offset * (2 * tid + 2) - 1;
            temp[b] += temp[a];
        }
        offset <<= 1;
    }
    __syncthreads();
    if (tid == 0) {
        sums[blockIdx.x] = temp[2 * THREADS - 1];
        temp[2 * THREADS - 1] = 0;
    }
    __syncthreads();
    for (int d = 1; d <= THREADS; d <<= 1) {
        offset >>= 1;
        __syncthreads();
        if (tid < d) {
            int a = offset * (2 * tid + 1) - 1;
            int b = offset * (2 * tid + 2) - 1;
            int t = temp[a];
            temp[a] = temp[b];
            temp[b] += t;
        }
    }
    __syncthreads();
    if (first < n) data[first] = temp[2 * tid];
    if (second < n) data[second] = temp[2 * tid + 1];
}

__global__ void add_sums(int *data, const int *sums, int n)
{
    const int i = blockIdx.x * 2 * THREADS + threadIdx.x;
    int before = 0;
    for (int b = 0; b < blockIdx.x; ++b) before += sums[b];
    if (i < n) data[i] += before;
    if (i + THREADS < n) data[i + THREADS] += before;
}

int main()
{
    const int n = 1999;
    const int blocks = (n + 2 * THREADS - 1) / (2 * THREADS);
    int host[n];
    for (int i = 0; i < n; ++i) host[i] = i % 5;

    int *d_data = NULL, *d_sums = NULL;
    cudaMalloc(&d_data, sizeof(host));
    cudaMalloc(&d_sums, blocks * sizeof(int));
    cudaMemcpy(d_data, host, sizeof(host), cudaMemcpyHostToDevice);
    scan_block<<<blocks, THREADS, 2 * THREADS * sizeof(int)>>>(d_data, d_sums, n);
    add_sums<<<blocks, THREADS>>>(d_data, d_sums, n);
    cudaMemcpy(host, d_data, sizeof(host), cudaMemcpyDeviceToHost);
    printf("%d\n", host[n - 1]);
    cudaFree(d_sums);
    cudaFree(d_data);
    return 0;
}
