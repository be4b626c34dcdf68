//: defect room-for-the-steps-alone: array-bounds|out-of-bounds
//- __shared__ double values[STEPS + 1];
//+ __shared__ double values[STEPS];
//: defect no-barrier-between-reading-and-writing: race
//-         __syncthreads();
//-         if (node < step) values[node] = here;
//+         if (node < step) values[node] = here;
//: defect last-node-is-not-set: uninitialised-read
//- for (int i = node; i <= STEPS; i += blockDim.x) {
//+ for (int i = node; i < STEPS; i += blockDim.x) {
#include <cstdio>
#include <cuda_runtime.h>
#include <vector>

constexpr int STEPS = 96;

__global__ void binomial_call(const double *spots, const double *strikes, double *prices, double up, double chance,
                              double discount)
{
    __shared__ double values[STEPS + 1];
    const int node = threadIdx.x;
    const double spot = spots[blockIdx.x], strike = strikes[blockIdx.x];
    for (int i = node; i <= STEPS; i += blockDim.x) {
        values[i] = fmax(spot * pow(up, 2.0 * i - STEPS) - strike, 0.0);
    }
    __syncthreads();
    for (int step = STEPS; step > 0; step--) {
        double here = 0.0;
        if (node < step) here = discount * (chance * values[node + 1] + (1.0 - chance) * values[node]);
        __syncthreads();
        if (node < step) values[node] = here;
        __syncthreads();
    }
    if (node == 0) prices[blockIdx.x] = values[0];
}

int main()
{
    const int options = 6;
    std::vector<double> spots(options), strikes(options), prices(options);
    for (int i = 0; i < options; i++) {
        spots[i] = 80.0 + 9.0 * i;
        strikes[i] = 100.0 - 2.0 * i;
    }
    double *d_spots, *d_strikes, *d_prices;
    cudaMalloc(&d_spots, options * sizeof(double));
    cudaMalloc(&d_strikes, options * sizeof(double));
    cudaMalloc(&d_prices, options * sizeof(double));
    cudaMemcpy(d_spots, spots.data(), options * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(d_strikes, strikes.data(), options * sizeof(double), cudaMemcpyHostToDevice);
    binomial_call<<<options, STEPS>>>(d_spots, d_strikes, d_prices, 1.01, 0.52, 0.9995);
    cudaMemcpy(prices.data(), d_prices, options * sizeof(double), cudaMemcpyDeviceToHost);
    for (int i = 0; i < options; i++) std::printf("%.6f\n", prices[i]);
    cudaFree(d_spots);
    cudaFree(d_strikes);
    cudaFree(d_prices);
    return 0;
}
