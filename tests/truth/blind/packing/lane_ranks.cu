//: defect mask-of-the-last-lane-is-a-full-shift: shift
//- unsigned upToMe = 0xffffffffu >> (31 - lane);
//+ unsigned upToMe = (1u << (lane + 1)) - 1u;
//: defect totals-of-warps-are-read-too-early: race|uninitialised-read
//- if (lane == 31) totals[warp] = rank;
//-     __syncthreads();
//+ if (lane == 31) totals[warp] = rank;
//: defect votes-are-taken-by-busy-threads-only: divergent-warp|inactive-lane|divergent-barrier
//- int flag = i < n ? (data[i] & 1) : 0;
//+ if (i >= n) return;
//+     int flag = data[i] & 1;
#include <stdio.h>
#include <stdlib.h>
#include "cuda_runtime.h"

#define THREADS 256
#define WARPS (THREADS / 32)

__global__ void rankOddNumbers(const int *data, int *ranks, int n)
{
    __shared__ int totals[WARPS];
    int i = blockIdx.x * THREADS + threadIdx.x;
    int lane = threadIdx.x & 31;
    int warp = threadIdx.x >> 5;
    int flag = i < n ? (data[i] & 1) : 0;
    unsigned votes = __ballot_sync(0xffffffffu, flag);
    unsigned upToMe = 0xffffffffu >> (31 - lane);
    int rank = __popc(votes & upToMe);
    if (lane == 31) totals[warp] = rank;
    __syncthreads();
    for (int w = 0; w < warp; w++) rank += totals[w];
    if (i < n) ranks[i] = flag ? rank : -1;
}

int *rankOnDevice(const int *numbers, int n)
{
    if (n <= 0 || n > (1 << 30)) return NULL;
    int *d_data = NULL, *d_ranks = NULL;
    int *ranks = (int *)malloc(sizeof(int) * n);
    cudaMalloc((void **)&d_data, sizeof(int) * n);
    cudaMalloc((void **)&d_ranks, sizeof(int) * n);
    cudaMemcpy(d_data, numbers, sizeof(int) * n, cudaMemcpyHostToDevice);
    int blocks = n / THREADS + (n % THREADS != 0);
    rankOddNumbers<<<blocks, THREADS>>>(d_data, d_ranks, n);
    cudaMemcpy(ranks, d_ranks, sizeof(int) * n, cudaMemcpyDeviceToHost);
    cudaFree(d_data);
    cudaFree(d_ranks);
    return ranks;
}

int main()
{
    enum { N = 1018 };
    int numbers[N];
    for (int i = 0; i < N; i++) numbers[i] = i * i / 3;
    int *ranks = rankOnDevice(numbers, N);
    printf("%d\n", ranks[N - 1]);
    free(ranks);
    return 0;
}
