//: defect odd-end-is-read-as-a-pair: out-of-bounds
//- for (int p = index; p < n / 2; p += stride) {
//+ for (int p = index; p < (n + 1) / 2; p += stride) {
//: defect second-operand-begins-at-an-odd-half: misaligned
//- const __half2 *pairs_b = reinterpret_cast<const __half2 *>(b);
//+ const __half2 *pairs_b = reinterpret_cast<const __half2 *>(b + 1);
//: defect result-begins-with-rubbish: uninitialised-read
//- cudaMemset(d_result, 0, sizeof(float));
//+
//: defect mask-leaves-the-upper-half-out: excluded-caller
//- sum += __shfl_down_sync(0xffffffff, sum, offset);
//+ sum += __shfl_down_sync(0x0000ffff, sum, offset);
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

__global__ void dot_half(const __half *a, const __half *b, float *result, int n)
{
    const int index = blockIdx.x * blockDim.x + threadIdx.x;
    const int stride = gridDim.x * blockDim.x;
    const __half2 *pairs_a = reinterpret_cast<const __half2 *>(a);
    const __half2 *pairs_b = reinterpret_cast<const __half2 *>(b);
    float sum = 0.0f;
    for (int p = index; p < n / 2; p += stride) {
        const float2 x = __half22float2(pairs_a[p]);
        const float2 y = __half22float2(pairs_b[p]);
        sum += x.x * y.x + x.y * y.y;
    }
    if (index == 0 && n % 2 == 1)
        sum += __half2float(a[n - 1]) * __half2float(b[n - 1]);
    for (int offset = 16; offset > 0; offset >>= 1)
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (threadIdx.x % 32 == 0)
        atomicAdd(result, sum);
}

int main(void)
{
    const int n = 5001;
    __half *a = (__half *)malloc(n * sizeof(__half));
    __half *b = (__half *)malloc(n * sizeof(__half));
    for (int i = 0; i < n; i++) {
        a[i] = __float2half((float)(i % 7) * 0.125f);
        b[i] = __float2half((float)(i % 3) * 0.5f);
    }
    __half *d_a, *d_b;
    float *d_result, result;
    cudaMalloc((void **)&d_a, n * sizeof(__half));
    cudaMalloc((void **)&d_b, n * sizeof(__half));
    cudaMalloc((void **)&d_result, sizeof(float));
    cudaMemcpy(d_a, a, n * sizeof(__half), cudaMemcpyHostToDevice);
    cudaMemcpy(d_b, b, n * sizeof(__half), cudaMemcpyHostToDevice);
    cudaMemset(d_result, 0, sizeof(float));
    dot_half<<<8, 128>>>(d_a, d_b, d_result, n);
    cudaMemcpy(&result, d_result, sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", result);
    cudaFree(d_a);
    cudaFree(d_b);
    cudaFree(d_result);
    free(a);
    free(b);
    return 0;
}
