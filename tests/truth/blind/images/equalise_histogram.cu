//: defect bins-begin-with-rubbish: uninitialised-read
//- bins[threadIdx.x] = 0;
//-     __syncthreads();
//-     for
//+ for
//: defect no-barrier-after-clearing: race
//- bins[threadIdx.x] = 0;
//-     __syncthreads();
//+ bins[threadIdx.x] = 0;
//: defect global-bins-are-not-cleared: uninitialised-read
//- check(cudaMemsetAsync(d_hist, 0, LEVELS * sizeof(unsigned), stream));
//+
//: defect scan-reads-and-writes-at-once: race
//- unsigned left = threadIdx.x >= step ? sums[threadIdx.x - step] : 0;
//-         __syncthreads();
//-         sums[threadIdx.x] += left;
//+ if (threadIdx.x >= step) sums[threadIdx.x] += sums[threadIdx.x - step];
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

static const unsigned LEVELS = 256;

static void check(cudaError_t error)
{
    if (error != cudaSuccess) {
        std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(error));
        std::abort();
    }
}

__global__ void count_levels(const unsigned char *image, unsigned n, unsigned *hist)
{
    __shared__ unsigned bins[LEVELS];
    bins[threadIdx.x] = 0;
    __syncthreads();
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        atomicAdd(&bins[image[i]], 1u);
    __syncthreads();
    atomicAdd(&hist[threadIdx.x], bins[threadIdx.x]);
}

__global__ void make_table(const unsigned *hist, unsigned n, unsigned char *table)
{
    __shared__ unsigned sums[LEVELS];
    sums[threadIdx.x] = hist[threadIdx.x];
    __syncthreads();
    for (unsigned step = 1; step < LEVELS; step *= 2) {
        unsigned left = threadIdx.x >= step ? sums[threadIdx.x - step] : 0;
        __syncthreads();
        sums[threadIdx.x] += left;
        __syncthreads();
    }
    table[threadIdx.x] = (unsigned char)(255ull * sums[threadIdx.x] / n);
}

__global__ void apply_table(unsigned char *image, unsigned n, const unsigned char *table)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) image[i] = table[image[i]];
}

int main()
{
    const unsigned n = 100003;
    std::vector<unsigned char> image(n);
    for (unsigned i = 0; i < n; ++i) image[i] = (unsigned char)((i * i) >> 5);

    cudaStream_t stream;
    check(cudaStreamCreate(&stream));
    unsigned char *d_image, *d_table;
    unsigned *d_hist;
    check(cudaMalloc(&d_image, n));
    check(cudaMalloc(&d_table, LEVELS));
    check(cudaMalloc(&d_hist, LEVELS * sizeof(unsigned)));
    check(cudaMemcpyAsync(d_image, image.data(), n, cudaMemcpyHostToDevice, stream));
    check(cudaMemsetAsync(d_hist, 0, LEVELS * sizeof(unsigned), stream));
    count_levels<<<40, LEVELS, 0, stream>>>(d_image, n, d_hist);
    make_table<<<1, LEVELS, 0, stream>>>(d_hist, n, d_table);
    apply_table<<<(n + 127) / 128, 128, 0, stream>>>(d_image, n, d_table);
    check(cudaMemcpyAsync(image.data(), d_image, n, cudaMemcpyDeviceToHost, stream));
    check(cudaStreamSynchronize(stream));
    std::printf("%d\n", image[n / 2]);
    cudaFree(d_image);
    cudaFree(d_table);
    cudaFree(d_hist);
    cudaStreamDestroy(stream);
    return 0;
}
