//: defect accumulator-is-narrow: integer-overflow
//- long long sum = 1LL << (FRACTION - 1);
//-     for (int t = 0; t < TAPS; ++t)
//-         sum += (long long)taps[t] * samples[i + t];
//+ int sum = 1 << (FRACTION - 1);
//+     for (int t = 0; t < TAPS; ++t)
//+         sum += taps[t] * samples[i + t];
//: defect input-lacks-the-lead-in: out-of-bounds
//- const int padded = count + TAPS - 1;
//+ const int padded = count;
//: defect lead-in-is-not-silenced: uninitialised-read
//- cudaMemset(dSamples, 0, padded * sizeof(short));
//+
#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

#define TAPS 16
#define FRACTION 15

__constant__ short taps[TAPS];

__global__ void fir(const short *samples, short *filtered, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    long long sum = 1LL << (FRACTION - 1);
    for (int t = 0; t < TAPS; ++t)
        sum += (long long)taps[t] * samples[i + t];
    sum >>= FRACTION;
    filtered[i] = (short)(sum > 32767 ? 32767 : sum < -32768 ? -32768 : sum);
}

std::vector<short> filterSignal(const std::vector<short> &signal, const short (&weights)[TAPS])
{
    std::vector<short> result(signal.size());
    if (signal.empty() || signal.size() > (1u << 28)) return result;
    const int count = (int)signal.size();
    const int padded = count + TAPS - 1;
    short *dSamples, *dFiltered;
    cudaMemcpyToSymbol(taps, weights, sizeof(weights));
    cudaMalloc(&dSamples, padded * sizeof(short));
    cudaMalloc(&dFiltered, count * sizeof(short));
    cudaMemset(dSamples, 0, padded * sizeof(short));
    cudaMemcpy(dSamples + TAPS - 1, signal.data(), count * sizeof(short), cudaMemcpyHostToDevice);
    dim3 threads(160);
    dim3 blocks((count + threads.x - 1) / threads.x);
    fir<<<blocks, threads>>>(dSamples, dFiltered, count);
    cudaMemcpy(result.data(), dFiltered, count * sizeof(short), cudaMemcpyDeviceToHost);
    cudaFree(dSamples);
    cudaFree(dFiltered);
    return result;
}

int main()
{
    short weights[TAPS];
    for (int t = 0; t < TAPS; ++t) weights[t] = (short)(32000 - 100 * t);
    std::vector<short> signal(1501);
    for (size_t i = 0; i < signal.size(); ++i) signal[i] = (short)(i / 100 % 2 ? -31000 : 31000);
    std::printf("%d\n", filterSignal(signal, weights)[700]);
    return 0;
}
