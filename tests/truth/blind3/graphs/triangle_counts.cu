//: defect lists-are-compared-one-too-far: out-of-bounds
//- while (a < a_end && b < b_end) {
//+ while (a <= a_end && b <= b_end) {
//: defect counts-collide: race|order-dependent
//- atomicAdd(count, found);
//+ *count += found;
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

/* Each edge (u, v) with u < v: common neighbours of u and v in sorted adjacency lists. */
__global__ void count_triangles(const int *row, const int *col, const int *from, int edges, unsigned *count)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= edges)
        return;
    int u = from[e], v = col[e];
    int a = row[u], a_end = row[u + 1];
    int b = row[v], b_end = row[v + 1];
    unsigned found = 0;
    while (a < a_end && b < b_end) {
        int x = col[a], y = col[b];
        if (x == y) ++found;
        if (x <= y) ++a;
        if (y <= x) ++b;
    }
    if (found)
        atomicAdd(count, found);
}

int main(void)
{
    /* a complete graph of 6 nodes, edges from the lower to the higher node */
    enum { NODES = 6, EDGES = 15 };
    int row[NODES + 1], col[EDGES], from[EDGES];
    int e = 0;
    for (int u = 0; u < NODES; u++) {
        row[u] = e;
        for (int v = u + 1; v < NODES; v++) {
            from[e] = u;
            col[e++] = v;
        }
    }
    row[NODES] = e;
    int *d_row, *d_col, *d_from;
    unsigned *d_count, count = 0;
    cudaMalloc((void **)&d_row, sizeof(row));
    cudaMalloc((void **)&d_col, sizeof(col));
    cudaMalloc((void **)&d_from, sizeof(from));
    cudaMalloc((void **)&d_count, sizeof(unsigned));
    cudaMemcpy(d_row, row, sizeof(row), cudaMemcpyHostToDevice);
    cudaMemcpy(d_col, col, sizeof(col), cudaMemcpyHostToDevice);
    cudaMemcpy(d_from, from, sizeof(from), cudaMemcpyHostToDevice);
    cudaMemset(d_count, 0, sizeof(unsigned));
    count_triangles<<<(EDGES + 31) / 32, 32>>>(d_row, d_col, d_from, EDGES, d_count);
    cudaMemcpy(&count, d_count, sizeof(unsigned), cudaMemcpyDeviceToHost);
    printf("%u triangles\n", count);
    return count == 20 ? EXIT_SUCCESS : EXIT_FAILURE;
}
