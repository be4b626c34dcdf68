//: defect wrap-forgets-the-left-side: out-of-bounds
//- const int from_x = (x - kDx[d] + width) % width;
//-         const int from_y = (y - kDy[d] + height) % height;
//+ const int from_x = (x - kDx[d]) % width;
//+         const int from_y = (y - kDy[d]) % height;
//: defect streams-in-place: race
//- std::swap(source_, target_);
//+ target_ = source_;
//: defect a-tenth-direction: array-bounds|out-of-bounds
//- for (int d = 0; d < 9; ++d) {
//-         const int from_x
//+ for (int d = 0; d <= 9; ++d) {
//+         const int from_x
//: defect start-is-not-uploaded: uninitialised-read
//- cudaMemcpy(source_, start.data(), start.size() * sizeof(float), cudaMemcpyHostToDevice);
//+
#include <cuda_runtime.h>

#include <cstdio>
#include <utility>
#include <vector>

__constant__ int kDx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
__constant__ int kDy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
__constant__ float kWeight[9] = {4.f / 9,  1.f / 9,  1.f / 9,  1.f / 9, 1.f / 9,
                                 1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36};

__global__ void stream_and_collide(const float *source, float *target, int width, int height, float omega)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y;
    if (x >= width) return;
    float f[9];
    float density = 0.f, ux = 0.f, uy = 0.f;
    for (int d = 0; d < 9; ++d) {
        const int from_x = (x - kDx[d] + width) % width;
        const int from_y = (y - kDy[d] + height) % height;
        f[d] = source[(from_y * width + from_x) * 9 + d];
        density += f[d];
        ux += f[d] * kDx[d];
        uy += f[d] * kDy[d];
    }
    ux /= density;
    uy /= density;
    const float square = 1.5f * (ux * ux + uy * uy);
    for (int d = 0; d < 9; ++d) {
        const float along = 3.f * (kDx[d] * ux + kDy[d] * uy);
        const float balance = kWeight[d] * density * (1.f + along + 0.5f * along * along - square);
        target[(y * width + x) * 9 + d] = f[d] + omega * (balance - f[d]);
    }
}

class Lattice {
public:
    Lattice(int width, int height) : width_(width), height_(height)
    {
        const size_t cells = (size_t)width * height;
        std::vector<float> start(9 * cells);
        for (size_t i = 0; i < start.size(); ++i) start[i] = 0.1f + 0.001f * (i % 17);
        cudaMalloc((void **)&source_, start.size() * sizeof(float));
        cudaMalloc((void **)&target_, start.size() * sizeof(float));
        cudaMemcpy(source_, start.data(), start.size() * sizeof(float), cudaMemcpyHostToDevice);
    }
    void run(int steps)
    {
        const dim3 block(64), grid((width_ + 63) / 64, height_);
        for (int step = 0; step < steps; ++step) {
            stream_and_collide<<<grid, block>>>(source_, target_, width_, height_, 1.2f);
            std::swap(source_, target_);
        }
    }
    float first() const
    {
        float value = 0.f;
        cudaMemcpy(&value, source_, sizeof(float), cudaMemcpyDeviceToHost);
        return value;
    }

private:
    int width_, height_;
    float *source_ = nullptr, *target_ = nullptr;
};

int main()
{
    Lattice lattice(100, 30);
    lattice.run(3);
    std::printf("%f\n", lattice.first());
    return 0;
}
