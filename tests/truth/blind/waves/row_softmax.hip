//: defect no-barrier-before-the-total: race|uninitialised-read
//- if (lane == 0) totals[wave] = total;
//-     __syncthreads();
//+ if (lane == 0) totals[wave] = total;
//: defect row-is-read-to-the-full-block: out-of-bounds
//- float value = threadIdx.x < cols ? from[threadIdx.x] : -INFINITY;
//+ float value = from[threadIdx.x];
//: defect threads-without-a-column-leave: divergent-barrier|divergent-warp|inactive-lane|uninitialised-read
//- const int lane = threadIdx.x % warpSize;
//+ if (threadIdx.x >= cols) return;
//+     const int lane = threadIdx.x % warpSize;
#include <hip/hip_runtime.h>
#include <cstdio>
#include <vector>

#define HIP_CHECK(command)                                                  \
    do {                                                                    \
        hipError_t status = (command);                                      \
        if (status != hipSuccess) {                                         \
            std::printf("error: %s\n", hipGetErrorString(status));          \
            return 1;                                                       \
        }                                                                   \
    } while (0)

constexpr int kThreads = 256;

__global__ void row_softmax(const float *in, float *out, int cols)
{
    __shared__ float highs[32];
    __shared__ float totals[32];
    const float *from = in + blockIdx.x * cols;
    const int lane = threadIdx.x % warpSize;
    const int wave = threadIdx.x / warpSize;
    const int waves = kThreads / warpSize;

    float value = threadIdx.x < cols ? from[threadIdx.x] : -INFINITY;
    float high = value;
    for (int offset = warpSize / 2; offset > 0; offset /= 2) high = fmaxf(high, __shfl_xor(high, offset));
    if (lane == 0) highs[wave] = high;
    __syncthreads();
    for (int w = 0; w < waves; ++w) high = fmaxf(high, highs[w]);

    float weight = threadIdx.x < cols ? expf(value - high) : 0.f;
    float total = weight;
    for (int offset = warpSize / 2; offset > 0; offset /= 2) total += __shfl_xor(total, offset);
    if (lane == 0) totals[wave] = total;
    __syncthreads();
    total = 0.f;
    for (int w = 0; w < waves; ++w) total += totals[w];
    if (threadIdx.x < cols) out[blockIdx.x * cols + threadIdx.x] = weight / total;
}

int main()
{
    const int rows = 19, cols = 150;
    std::vector<float> host(rows * cols);
    for (size_t i = 0; i < host.size(); ++i) host[i] = float(i % 23) * 0.1f;
    float *d_in, *d_out;
    HIP_CHECK(hipMalloc(&d_in, host.size() * sizeof(float)));
    HIP_CHECK(hipMalloc(&d_out, host.size() * sizeof(float)));
    HIP_CHECK(hipMemcpy(d_in, host.data(), host.size() * sizeof(float), hipMemcpyHostToDevice));
    hipLaunchKernelGGL(row_softmax, dim3(rows), dim3(kThreads), 0, 0, d_in, d_out, cols);
    HIP_CHECK(hipMemcpy(host.data(), d_out, host.size() * sizeof(float), hipMemcpyDeviceToHost));
    std::printf("%f\n", host[0]);
    HIP_CHECK(hipFree(d_in));
    HIP_CHECK(hipFree(d_out));
    return 0;
}
