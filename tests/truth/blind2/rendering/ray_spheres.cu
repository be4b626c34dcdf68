//: defect one-sphere-more-than-there-are: out-of-bounds
//- for (int s = 0; s < count; s++) {
//+ for (int s = 0; s <= count; s++) {
//: defect rows-are-as-long-as-columns: out-of-bounds
//- int pixel = (y * width + x) * 3;
//+ int pixel = (x * width + y) * 3;
//: defect nearest-hit-is-not-set: uninitialised-read
//- int nearest = -1;
//+ int nearest;
#include <math.h>
#include <stdio.h>

struct Sphere {
    float x, y, z, radius;
    unsigned char red, green, blue;
};

__global__ void render(const Sphere *spheres, int count, unsigned char *image, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float best = 1e30f;
    int nearest = -1;
    for (int s = 0; s < count; s++) {
        float dx = x - spheres[s].x, dy = y - spheres[s].y;
        float inside = spheres[s].radius * spheres[s].radius - dx * dx - dy * dy;
        if (inside > 0.0f && spheres[s].z - sqrtf(inside) < best) {
            best = spheres[s].z - sqrtf(inside);
            nearest = s;
        }
    }
    int pixel = (y * width + x) * 3;
    image[pixel] = nearest < 0 ? 0 : spheres[nearest].red;
    image[pixel + 1] = nearest < 0 ? 0 : spheres[nearest].green;
    image[pixel + 2] = nearest < 0 ? 0 : spheres[nearest].blue;
}

#define WIDTH 70
#define HEIGHT 45
#define SPHERES 7

int main(void)
{
    static unsigned char image[WIDTH * HEIGHT * 3];
    Sphere spheres[SPHERES], *device_spheres;
    unsigned char *device_image;
    for (int s = 0; s < SPHERES; s++)
        spheres[s] = {9.0f * s, 6.0f * s, 50.0f - 3.0f * s, 8.0f, (unsigned char)(30 * s), 100, 200};
    cudaMalloc(&device_spheres, sizeof(spheres));
    cudaMalloc(&device_image, sizeof(image));
    cudaMemcpy(device_spheres, spheres, sizeof(spheres), cudaMemcpyHostToDevice);
    dim3 threads(16, 16), blocks((WIDTH + 15) / 16, (HEIGHT + 15) / 16);
    render<<<blocks, threads>>>(device_spheres, SPHERES, device_image, WIDTH, HEIGHT);
    cudaMemcpy(image, device_image, sizeof(image), cudaMemcpyDeviceToHost);
    long sum = 0;
    for (int i = 0; i < WIDTH * HEIGHT * 3; i++) sum += image[i];
    printf("brightness %ld\n", sum);
    return 0;
}
