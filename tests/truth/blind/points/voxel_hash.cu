//: defect table-begins-with-rubbish: uninitialised-read|deadlock
//- CHECK(cudaMemset(d_keys, 0xff, CAPACITY * sizeof(unsigned long long)));
//+
//: defect hash-is-masked-by-the-capacity: out-of-bounds
//- unsigned slot = hash(key) & (CAPACITY - 1);
//+ unsigned slot = hash(key) & CAPACITY;
//: defect table-is-too-small-for-all-voxels: deadlock
//- #define CAPACITY 4096u
//+ #define CAPACITY 512u
//: defect points-are-counted-without-atomics: race|order-dependent
//- atomicAdd(&counts[slot], 1);
//+ counts[slot]++;
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define CAPACITY 4096u
#define EMPTY 0xffffffffffffffffull
#define NUM_POINTS 3000

#define CHECK(status)                                                        \
    if ((status) != cudaSuccess) {                                           \
        printf("error at line %d\n", __LINE__);                              \
        exit(1);                                                             \
    }

__device__ unsigned hash(unsigned long long key)
{
    key ^= key >> 33;
    key *= 0xff51afd7ed558ccdull;
    key ^= key >> 33;
    return (unsigned)key;
}

__global__ void insert_points(const float3 *points, int n, float size, unsigned long long *keys, int *counts)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned long long x = (unsigned long long)(long long)floorf(points[i].x / size) & 0xfffff;
    unsigned long long y = (unsigned long long)(long long)floorf(points[i].y / size) & 0xfffff;
    unsigned long long z = (unsigned long long)(long long)floorf(points[i].z / size) & 0xfffff;
    unsigned long long key = x << 40 | y << 20 | z;
    unsigned slot = hash(key) & (CAPACITY - 1);
    while (true) {
        unsigned long long old = atomicCAS(&keys[slot], EMPTY, key);
        if (old == EMPTY || old == key) break;
        slot = (slot + 1) & (CAPACITY - 1);
    }
    atomicAdd(&counts[slot], 1);
}

int main()
{
    float3 *points = (float3 *)malloc(NUM_POINTS * sizeof(float3));
    for (int i = 0; i < NUM_POINTS; i++)
        points[i] = make_float3((i / 2 % 15) * 0.5f, (i / 30 % 10) * 0.5f, (i / 300) * 0.5f - 2.0f);

    float3 *d_points;
    unsigned long long *d_keys;
    int *d_counts;
    CHECK(cudaMalloc(&d_points, NUM_POINTS * sizeof(float3)));
    CHECK(cudaMalloc(&d_keys, CAPACITY * sizeof(unsigned long long)));
    CHECK(cudaMalloc(&d_counts, CAPACITY * sizeof(int)));
    CHECK(cudaMemcpy(d_points, points, NUM_POINTS * sizeof(float3), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(d_keys, 0xff, CAPACITY * sizeof(unsigned long long)));
    CHECK(cudaMemset(d_counts, 0, CAPACITY * sizeof(int)));
    insert_points<<<(NUM_POINTS + 127) / 128, 128>>>(d_points, NUM_POINTS, 0.5f, d_keys, d_counts);
    int *counts = (int *)malloc(CAPACITY * sizeof(int));
    CHECK(cudaMemcpy(counts, d_counts, CAPACITY * sizeof(int), cudaMemcpyDeviceToHost));
    int used = 0;
    for (unsigned s = 0; s < CAPACITY; s++) used += counts[s] > 0;
    printf("%d voxels\n", used);
    CHECK(cudaFree(d_points));
    CHECK(cudaFree(d_keys));
    CHECK(cudaFree(d_counts));
    free(points);
    free(counts);
    return 0;
}
