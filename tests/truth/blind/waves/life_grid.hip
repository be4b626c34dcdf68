//: defect next-generation-overwrites-the-old: race
//- next_generation<<<dim3((WIDTH + 31) / 32, (HEIGHT + 7) / 8), dim3(32, 8), 0, stream>>>(now, next, WIDTH, HEIGHT);
//+ next_generation<<<dim3((WIDTH + 31) / 32, (HEIGHT + 7) / 8), dim3(32, 8), 0, stream>>>(now, now, WIDTH, HEIGHT);
//: defect neighbours-beyond-the-border-are-read: out-of-bounds
//- if (nx < 0 || ny < 0 || nx >= width || ny >= height) continue;
//+
//: defect guard-names-the-width-twice: out-of-bounds
//- if (x >= width || y >= height) return;
//+ if (x >= width || y >= width) return;
#include <hip/hip_runtime.h>
#include <stdio.h>
#include <string.h>

#define WIDTH 90
#define HEIGHT 59

__global__ void next_generation(const unsigned char *now, unsigned char *next, int width, int height)
{
    int x = blockDim.x * blockIdx.x + threadIdx.x;
    int y = blockDim.y * blockIdx.y + threadIdx.y;
    if (x >= width || y >= height) return;
    int alive = 0;
    for (int ny = y - 1; ny <= y + 1; ny++) {
        for (int nx = x - 1; nx <= x + 1; nx++) {
            if (nx < 0 || ny < 0 || nx >= width || ny >= height) continue;
            if (nx != x || ny != y)
                alive += now[ny * width + nx];
        }
    }
    next[y * width + x] = alive == 3 || (alive == 2 && now[y * width + x]);
}

int main()
{
    unsigned char cells[WIDTH * HEIGHT];
    for (int i = 0; i < WIDTH * HEIGHT; i++) cells[i] = i % 3 == 0 || i % 7 == 0;
    hipStream_t stream;
    hipStreamCreate(&stream);
    unsigned char *now, *next;
    hipMalloc((void **)&now, sizeof cells);
    hipMalloc((void **)&next, sizeof cells);
    hipMemcpyAsync(now, cells, sizeof cells, hipMemcpyHostToDevice, stream);
    for (int generation = 0; generation < 3; generation++) {
        next_generation<<<dim3((WIDTH + 31) / 32, (HEIGHT + 7) / 8), dim3(32, 8), 0, stream>>>(now, next, WIDTH, HEIGHT);
        unsigned char *swap = now;
        now = next;
        next = swap;
    }
    hipMemcpyAsync(cells, now, sizeof cells, hipMemcpyDeviceToHost, stream);
    hipStreamSynchronize(stream);
    printf("%d\n", cells[0]);
    hipFree(now);
    hipFree(next);
    hipStreamDestroy(stream);
    return 0;
}
