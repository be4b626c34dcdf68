//: defect no-barrier-between-phases: race
//- line[left + 1] = low;
//-             }
//-         }
//-         __syncthreads();
//+ line[left + 1] = low;
//+             }
//+         }
//: defect last-pair-is-not-guarded: array-bounds|out-of-bounds
//- if (left + 1 < LENGTH) {
//+ if (left < LENGTH) {
//: defect barrier-for-busy-threads-only: divergent-barrier
//- }
//-         }
//-         __syncthreads();
//-     }
//+ }
//+             __syncthreads();
//+         }
//+     }
#include <cuda_runtime.h>
#include <iostream>

enum { LENGTH = 127, LINES = 12 };

__global__ void odd_even_sort(short *lines)
{
    __shared__ short line[LENGTH];
    short *mine = lines + blockIdx.x * LENGTH;
    for (int i = threadIdx.x; i < LENGTH; i += blockDim.x)
        line[i] = mine[i];
    __syncthreads();

    for (int phase = 0; phase < LENGTH; phase++) {
        int left = 2 * threadIdx.x + phase % 2;
        if (left + 1 < LENGTH) {
            short low = line[left];
            short high = line[left + 1];
            if (low > high) {
                line[left] = high;
                line[left + 1] = low;
            }
        }
        __syncthreads();
    }

    for (int i = threadIdx.x; i < LENGTH; i += blockDim.x)
        mine[i] = line[i];
}

int main()
{
    short *lines;
    if (cudaMallocManaged(&lines, LINES * LENGTH * sizeof *lines) != cudaSuccess)
        return 1;
    for (int i = 0; i < LINES * LENGTH; i++)
        lines[i] = (short)(i * 7919);
    odd_even_sort<<<LINES, (LENGTH + 1) / 2>>>(lines);
    cudaDeviceSynchronize();
    std::cout << lines[0] << ' ' << lines[LENGTH - 1] << std::endl;
    cudaFree(lines);
    return 0;
}
