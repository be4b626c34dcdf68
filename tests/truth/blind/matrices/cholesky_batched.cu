//: defect column-is-used-before-it-stands: race
//- if (i > k) a[i][k] /= a[k][k];
//-         __syncthreads();
//+ if (i > k) a[i][k] /= a[k][k];
//: defect root-and-column-at-once: race
//- if (i == k) a[k][k] = sqrtf(a[k][k]);
//-         __syncthreads();
//+ if (i == k) a[k][k] = sqrtf(a[k][k]);
//: defect one-column-too-many: array-bounds|out-of-bounds|race
//- for (int j = k + 1; j <= i; ++j)
//+ for (int j = k + 1; j <= ORDER; ++j)
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define ORDER 48

__global__ void cholesky(float *matrices)
{
    __shared__ float a[ORDER][ORDER];
    float *matrix = matrices + blockIdx.x * ORDER * ORDER;
    const int i = threadIdx.x;
    for (int j = 0; j < ORDER; ++j)
        a[j][i] = matrix[j * ORDER + i];
    __syncthreads();

    for (int k = 0; k < ORDER; ++k) {
        if (i == k) a[k][k] = sqrtf(a[k][k]);
        __syncthreads();
        if (i > k) a[i][k] /= a[k][k];
        __syncthreads();
        if (i > k)
            for (int j = k + 1; j <= i; ++j)
                a[i][j] -= a[i][k] * a[j][k];
        __syncthreads();
    }
    for (int j = 0; j < ORDER; ++j)
        matrix[j * ORDER + i] = i <= j ? a[j][i] : 0.0f;
}

int main()
{
    const int batch = 7;
    const size_t bytes = batch * ORDER * ORDER * sizeof(float);
    float *host = (float *)malloc(bytes);
    for (int b = 0; b < batch; ++b)
        for (int i = 0; i < ORDER; ++i)
            for (int j = 0; j < ORDER; ++j)
                host[(b * ORDER + i) * ORDER + j] = i == j ? 40.0f + b : 1.0f / (1 + abs(i - j));
    float *device;
    cudaMalloc(&device, bytes);
    cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice);
    cholesky<<<batch, ORDER>>>(device);
    cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost);
    printf("%f\n", host[0]);
    cudaFree(device);
    free(host);
    return 0;
}
