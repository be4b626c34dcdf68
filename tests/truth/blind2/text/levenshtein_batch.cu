//: defect row-of-the-table-is-one-too-short: array-bounds|out-of-bounds
//- int row[MAX_WORD + 1];
//+ int row[MAX_WORD];
//: defect first-row-is-not-set: uninitialised-read
//- for (int j = 0; j <= columns; j++) row[j] = j;
//+ row[0] = 0;
//: defect last-offset-is-behind-the-table: out-of-bounds
//- if (pair >= pairs) return;
//+ if (pair >= pairs + 1) return;
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_WORD 24
#define CHECK(call)                                                         \
    do {                                                                    \
        cudaError_t status = (call);                                        \
        if (status != cudaSuccess) {                                        \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(status)); \
            exit(1);                                                        \
        }                                                                   \
    } while (0)

__global__ void edit_distance(const char *left, const char *right, const int *left_sizes, const int *right_sizes,
                              int *distances, int pairs)
{
    int pair = blockIdx.x * blockDim.x + threadIdx.x;
    if (pair >= pairs) return;
    const char *a = left + pair * MAX_WORD;
    const char *b = right + pair * MAX_WORD;
    int rows = left_sizes[pair], columns = right_sizes[pair];
    int row[MAX_WORD + 1];
    for (int j = 0; j <= columns; j++) row[j] = j;
    for (int i = 1; i <= rows; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= columns; j++) {
            int above = row[j];
            int cost = diagonal + (a[i - 1] != b[j - 1]);
            int step = min(above, row[j - 1]) + 1;
            row[j] = min(cost, step);
            diagonal = above;
        }
    }
    distances[pair] = row[columns];
}

int main()
{
    const int pairs = 100;
    char *left = (char *)calloc(pairs, MAX_WORD), *right = (char *)calloc(pairs, MAX_WORD);
    int left_sizes[pairs], right_sizes[pairs], distances[pairs];
    for (int p = 0; p < pairs; p++) {
        left_sizes[p] = 1 + p * 7 % MAX_WORD;
        right_sizes[p] = 1 + p * 5 % MAX_WORD;
        for (int k = 0; k < left_sizes[p]; k++) left[p * MAX_WORD + k] = 'a' + (p + k) % 5;
        for (int k = 0; k < right_sizes[p]; k++) right[p * MAX_WORD + k] = 'a' + (p + 2 * k) % 5;
    }
    char *d_left, *d_right;
    int *d_left_sizes, *d_right_sizes, *d_distances;
    CHECK(cudaMalloc(&d_left, pairs * MAX_WORD));
    CHECK(cudaMalloc(&d_right, pairs * MAX_WORD));
    CHECK(cudaMalloc(&d_left_sizes, sizeof left_sizes));
    CHECK(cudaMalloc(&d_right_sizes, sizeof right_sizes));
    CHECK(cudaMalloc(&d_distances, sizeof distances));
    CHECK(cudaMemcpy(d_left, left, pairs * MAX_WORD, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_right, right, pairs * MAX_WORD, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_left_sizes, left_sizes, sizeof left_sizes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_right_sizes, right_sizes, sizeof right_sizes, cudaMemcpyHostToDevice));
    edit_distance<<<(pairs + 31) / 32, 32>>>(d_left, d_right, d_left_sizes, d_right_sizes, d_distances, pairs);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(distances, d_distances, sizeof distances, cudaMemcpyDeviceToHost));
    printf("first: %d, last: %d\n", distances[0], distances[pairs - 1]);
    return 0;
}
