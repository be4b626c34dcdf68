//: defect no-barrier-between-stages: race
//- data[hi] = make_float2(a.x - t.x, a.y - t.y);
//-         __syncthreads();
//+ data[hi] = make_float2(a.x - t.x, a.y - t.y);
//: defect shared-memory-for-reals-only: out-of-bounds
//- size_t sharedBytes = n * sizeof(float2);
//+ size_t sharedBytes = n * sizeof(float);
//: defect bits-are-turned-by-the-full-word: shift
//- unsigned turned = __brev(i) >> (32 - log2n);
//+ unsigned turned = __brev(i) >> (32 + log2n);
//: defect bits-are-not-shifted-down: out-of-bounds
//- unsigned turned = __brev(i) >> (32 - log2n);
//+ unsigned turned = __brev(i) >> (31 - log2n);
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define LOG2N 9
#define BATCH 6

__global__ void fft(float2 *signals, int log2n)
{
    extern __shared__ float2 data[];
    const unsigned n = 1u << log2n;
    float2 *signal = signals + (size_t)blockIdx.x * n;

    for (unsigned i = threadIdx.x; i < n; i += blockDim.x) {
        unsigned turned = __brev(i) >> (32 - log2n);
        data[turned] = signal[i];
    }
    __syncthreads();

    for (int stage = 0; stage < log2n; ++stage) {
        const unsigned half = 1u << stage;
        const unsigned k = threadIdx.x & (half - 1);
        const unsigned lo = ((threadIdx.x >> stage) << (stage + 1)) + k;
        const unsigned hi = lo + half;
        float s, c;
        sincospif(-(float)k / half, &s, &c);
        const float2 a = data[lo], b = data[hi];
        const float2 t = make_float2(b.x * c - b.y * s, b.x * s + b.y * c);
        data[lo] = make_float2(a.x + t.x, a.y + t.y);
        data[hi] = make_float2(a.x - t.x, a.y - t.y);
        __syncthreads();
    }
    for (unsigned i = threadIdx.x; i < n; i += blockDim.x)
        signal[i] = data[i];
}

int main()
{
    const unsigned n = 1u << LOG2N;
    const size_t bytes = (size_t)BATCH * n * sizeof(float2);
    float2 *host = (float2 *)malloc(bytes), *device;
    for (unsigned i = 0; i < BATCH * n; ++i) host[i] = make_float2((float)(i % 8), 0.f);
    cudaMalloc(&device, bytes);
    cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice);
    size_t sharedBytes = n * sizeof(float2);
    fft<<<BATCH, n / 2, sharedBytes>>>(device, LOG2N);
    cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost);
    printf("%f %f\n", host[0].x, host[0].y);
    cudaFree(device);
    free(host);
    return 0;
}
