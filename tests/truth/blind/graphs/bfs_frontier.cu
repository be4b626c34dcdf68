//: defect distances-begin-with-rubbish: uninitialised-read
//- cudaMemset(d_distance, 0xff, vertices * sizeof(int));
//-     const int zero = 0;
//+ const int zero = 0;
//: defect next-frontier-is-counted-without-atomics: race|order-dependent
//- int place = atomicAdd(next_size, 1);
//+ int place = (*next_size)++;
//: defect offsets-without-the-end: out-of-bounds
//- cudaMalloc(&d_offsets, (vertices + 1) * sizeof(int));
//+ cudaMalloc(&d_offsets, vertices * sizeof(int));
//: defect vertex-is-visited-without-atomics: race|order-dependent|out-of-bounds
//- if (atomicCAS(&distance[v], -1, level + 1) == -1) {
//+ if (distance[v] == -1) {
//+                 distance[v] = level + 1;
#include <cuda_runtime.h>
#include <cstdio>
#include <utility>
#include <vector>

struct Graph {
    std::vector<int> offsets{0};
    std::vector<int> targets;
    int size() const { return (int)offsets.size() - 1; }
};

__global__ void expand(const int *offsets, const int *targets, const int *frontier, int frontier_size, int *next,
                       int *next_size, int *distance, int level)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < frontier_size) {
        int u = frontier[i];
        for (int e = offsets[u]; e < offsets[u + 1]; ++e) {
            int v = targets[e];
            if (atomicCAS(&distance[v], -1, level + 1) == -1) {
                int place = atomicAdd(next_size, 1);
                next[place] = v;
            }
        }
    }
}

std::vector<int> distances_from(const Graph &graph, int source)
{
    const int vertices = graph.size();
    int *d_offsets, *d_targets, *d_frontier, *d_next, *d_next_size, *d_distance;
    cudaMalloc(&d_offsets, (vertices + 1) * sizeof(int));
    cudaMalloc(&d_targets, graph.targets.size() * sizeof(int));
    cudaMalloc(&d_frontier, vertices * sizeof(int));
    cudaMalloc(&d_next, vertices * sizeof(int));
    cudaMalloc(&d_next_size, sizeof(int));
    cudaMalloc(&d_distance, vertices * sizeof(int));
    cudaMemcpy(d_offsets, graph.offsets.data(), graph.offsets.size() * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(d_targets, graph.targets.data(), graph.targets.size() * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(d_distance, 0xff, vertices * sizeof(int));
    const int zero = 0;
    cudaMemcpy(d_distance + source, &zero, sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(d_frontier, &source, sizeof(int), cudaMemcpyHostToDevice);

    int frontier_size = 1;
    for (int level = 0; frontier_size > 0; ++level) {
        cudaMemset(d_next_size, 0, sizeof(int));
        expand<<<(frontier_size + 63) / 64, 64>>>(d_offsets, d_targets, d_frontier, frontier_size, d_next, d_next_size,
                                                  d_distance, level);
        cudaMemcpy(&frontier_size, d_next_size, sizeof(int), cudaMemcpyDeviceToHost);
        std::swap(d_frontier, d_next);
    }
    std::vector<int> distance(vertices);
    cudaMemcpy(distance.data(), d_distance, vertices * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_offsets);
    cudaFree(d_targets);
    cudaFree(d_frontier);
    cudaFree(d_next);
    cudaFree(d_next_size);
    cudaFree(d_distance);
    return distance;
}

int main()
{
    Graph graph;
    const int vertices = 700;
    for (int u = 0; u < vertices; ++u) {
        for (int k = 0; k < 6; ++k)
            graph.targets.push_back((u / 2 * 4 + 3 * k + 1) % vertices);
        graph.offsets.push_back((int)graph.targets.size());
    }
    std::printf("%d\n", distances_from(graph, 0)[vertices - 1]);
}
