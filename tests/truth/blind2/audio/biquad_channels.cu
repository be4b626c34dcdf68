//: defect history-before-the-first-sample: out-of-bounds
//- const float x1 = t > 0 ? in[t - 1] : 0.0f;
//+ const float x1 = in[t - 1];
//: defect one-channel-more-than-there-are: out-of-bounds
//- if (channel >= channels) return;
//+ if (channel > channels) return;
//: defect state-begins-with-rubbish: uninitialised-read
//- float y1 = 0.0f, y2 = 0.0f;
//+ float y1, y2;
#include <cuda_runtime.h>

struct Biquad {
    float b0, b1, b2, a1, a2;
};

__global__ void biquad_filter(const float *input, float *output, int channels, int samples, Biquad f)
{
    int channel = blockIdx.x * blockDim.x + threadIdx.x;
    if (channel >= channels) return;
    const float *in = input + (size_t)channel * samples;
    float *out = output + (size_t)channel * samples;
    float y1 = 0.0f, y2 = 0.0f;
    for (int t = 0; t < samples; t++) {
        const float x1 = t > 0 ? in[t - 1] : 0.0f;
        const float x2 = t > 1 ? in[t - 2] : 0.0f;
        const float y = f.b0 * in[t] + f.b1 * x1 + f.b2 * x2 - f.a1 * y1 - f.a2 * y2;
        out[t] = y;
        y2 = y1;
        y1 = y;
    }
}

extern "C" int filter_channels(const float *host_in, float *host_out, int channels, int samples, Biquad f)
{
    float *d_in = NULL, *d_out = NULL;
    size_t bytes = (size_t)channels * samples * sizeof(float);
    if (cudaMalloc((void **)&d_in, bytes) != cudaSuccess) return -1;
    if (cudaMalloc((void **)&d_out, bytes) != cudaSuccess) {
        cudaFree(d_in);
        return -1;
    }
    cudaMemcpy(d_in, host_in, bytes, cudaMemcpyHostToDevice);
    biquad_filter<<<(channels + 63) / 64, 64>>>(d_in, d_out, channels, samples, f);
    cudaMemcpy(host_out, d_out, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
