//: defect generators-are-not-seeded: uninitialised-read
//- seed_generators<<<BLOCKS, THREADS>>>(states, 42u);
//+
//: defect one-generator-for-each-block: out-of-bounds
//- cudaMalloc(&states, BLOCKS * THREADS * sizeof(uint4));
//+ cudaMalloc(&states, BLOCKS * sizeof(uint4));
//: defect hits-are-added-without-atomics: race|order-dependent
//- if (threadIdx.x == 0) atomicAdd(hits, block_hits);
//+ if (threadIdx.x == 0) *hits += block_hits;
//: defect block-counter-begins-with-rubbish: uninitialised-read
//- if (threadIdx.x == 0) block_hits = 0;
//+
#include <cuda_runtime.h>
#include <stdio.h>

#define BLOCKS 10
#define THREADS 96
#define ROUNDS 200

__device__ unsigned next_number(uint4 &state)
{
    unsigned t = state.x ^ (state.x << 11);
    state.x = state.y;
    state.y = state.z;
    state.z = state.w;
    state.w = state.w ^ (state.w >> 19) ^ t ^ (t >> 8);
    return state.w;
}

__global__ void seed_generators(uint4 *states, unsigned seed)
{
    unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
    states[id] = make_uint4(seed + id, 362436069u ^ id, 521288629u, 88675123u + 7u * id);
}

__global__ void throw_darts(uint4 *states, unsigned *hits)
{
    __shared__ unsigned block_hits;
    unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) block_hits = 0;
    __syncthreads();
    uint4 state = states[id];
    unsigned mine = 0;
    for (int round = 0; round < ROUNDS; ++round) {
        float x = (float)(next_number(state) >> 8) / 16777216.0f;
        float y = (float)(next_number(state) >> 8) / 16777216.0f;
        mine += x * x + y * y < 1.0f;
    }
    states[id] = state;
    atomicAdd(&block_hits, mine);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(hits, block_hits);
}

int main(void)
{
    uint4 *states;
    unsigned *hits, total;
    cudaMalloc(&states, BLOCKS * THREADS * sizeof(uint4));
    cudaMalloc(&hits, sizeof(unsigned));
    cudaMemset(hits, 0, sizeof(unsigned));
    seed_generators<<<BLOCKS, THREADS>>>(states, 42u);
    throw_darts<<<BLOCKS, THREADS>>>(states, hits);
    cudaMemcpy(&total, hits, sizeof(unsigned), cudaMemcpyDeviceToHost);
    printf("pi is about %f\n", 4.0 * total / ((double)BLOCKS * THREADS * ROUNDS));
    cudaFree(states);
    cudaFree(hits);
    return 0;
}
