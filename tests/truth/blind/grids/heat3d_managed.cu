//: defect new-field-is-the-old-one: race
//- heat_step<<<blocks, threads>>>(fields[step % 2], fields[1 - step % 2], NX, NY, NZ, 0.1);
//+ heat_step<<<blocks, threads>>>(fields[0], fields[0], NX, NY, NZ, 0.1);
//: defect top-layer-is-taken-as-inner: out-of-bounds
//- if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1 && z > 0 && z < nz - 1)
//+ if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1 && z > 0)
//: defect second-field-lacks-its-border: uninitialised-read
//- fields[0][i] = fields[1][i] = i % 11 == 0 ? 1.0 : 0.0;
//+ fields[0][i] = i % 11 == 0 ? 1.0 : 0.0;
//: defect planes-are-a-row-apart: out-of-bounds
//- const size_t plane = (size_t)nx * ny;
//+ const size_t plane = (size_t)nx * ny + nx;
#include <cuda_runtime.h>
#include <stdio.h>

#define NX 45
#define NY 33
#define NZ 21
#define STEPS 4

__global__ void heat_step(const double *old, double *fresh, int nx, int ny, int nz, double factor)
{
    const int x = threadIdx.x + blockIdx.x * blockDim.x;
    const int y = threadIdx.y + blockIdx.y * blockDim.y;
    const int z = threadIdx.z + blockIdx.z * blockDim.z;
    const size_t plane = (size_t)nx * ny;
    if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1 && z > 0 && z < nz - 1) {
        const size_t i = z * plane + (size_t)y * nx + x;
        fresh[i] = old[i] + factor * (old[i - 1] + old[i + 1] + old[i - nx] + old[i + nx] + old[i - plane] +
                                      old[i + plane] - 6.0 * old[i]);
    }
}

int main()
{
    const size_t cells = (size_t)NX * NY * NZ;
    double *fields[2];
    for (int f = 0; f < 2; f++) {
        if (cudaMallocManaged(&fields[f], cells * sizeof(double)) != cudaSuccess) {
            fprintf(stderr, "no memory\n");
            return 1;
        }
    }
    for (size_t i = 0; i < cells; i++)
        fields[0][i] = fields[1][i] = i % 11 == 0 ? 1.0 : 0.0;

    const dim3 threads(16, 4, 4);
    const dim3 blocks((NX + threads.x - 1) / threads.x, (NY + threads.y - 1) / threads.y,
                      (NZ + threads.z - 1) / threads.z);
    for (int step = 0; step < STEPS; step++)
        heat_step<<<blocks, threads>>>(fields[step % 2], fields[1 - step % 2], NX, NY, NZ, 0.1);
    cudaDeviceSynchronize();
    printf("%g\n", fields[STEPS % 2][cells / 2]);
    cudaFree(fields[0]);
    cudaFree(fields[1]);
    return 0;
}
