//: defect edge-is-computed-as-well: out-of-bounds
//- if (x > nx || y > ny) return;
//+ if (x > nx + 1 || y > ny + 1) return;
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <vector>

__global__ void laplacian(const double *u, double *v, int nx, int ny) {
  const int x = 1 + blockIdx.x * blockDim.x + threadIdx.x;
  const int y = 1 + blockIdx.y * blockDim.y + threadIdx.y;
  if (x > nx || y > ny) return;
  const int pitch = nx + 2;
  const int at = y * pitch + x;
  v[at] = u[at - 1] + u[at + 1] + u[at - pitch] + u[at + pitch] - 4.0 * u[at];
}

class Field {
 public:
  Field(int nx, int ny) : nx_(nx), ny_(ny) {
    const size_t cells = (size_t)(nx_ + 2) * (ny_ + 2);
    bytes_ = cells * sizeof(double);
    if (cudaMalloc(&u_, bytes_) != cudaSuccess || cudaMalloc(&v_, bytes_) != cudaSuccess)
      throw std::runtime_error("no memory");
    cudaStreamCreate(&stream_);
    cudaMemsetAsync(u_, 0, bytes_, stream_);
    cudaMemsetAsync(v_, 0, bytes_, stream_);
  }
  ~Field() {
    cudaStreamDestroy(stream_);
    cudaFree(u_);
    cudaFree(v_);
  }
  void set(const std::vector<double> &inner) {
    cudaMemcpy2DAsync(u_ + (nx_ + 2) + 1, (nx_ + 2) * sizeof(double), inner.data(), nx_ * sizeof(double),
                      nx_ * sizeof(double), ny_, cudaMemcpyHostToDevice, stream_);
  }
  void apply() {
    const dim3 threads(16, 8);
    const dim3 blocks((nx_ + 15) / 16, (ny_ + 7) / 8);
    laplacian<<<blocks, threads, 0, stream_>>>(u_, v_, nx_, ny_);
  }
  double at(int x, int y) {
    double value;
    cudaMemcpyAsync(&value, v_ + (size_t)(y + 1) * (nx_ + 2) + x + 1, sizeof(double), cudaMemcpyDeviceToHost, stream_);
    cudaStreamSynchronize(stream_);
    return value;
  }

 private:
  int nx_, ny_;
  size_t bytes_ = 0;
  double *u_ = nullptr, *v_ = nullptr;
  cudaStream_t stream_ = nullptr;
};

int main() {
  const int nx = 37, ny = 21;
  std::vector<double> inner(nx * ny);
  for (int y = 0; y < ny; ++y)
    for (int x = 0; x < nx; ++x) inner[y * nx + x] = x * x + 2.0 * y * y;
  Field field(nx, ny);
  field.set(inner);
  field.apply();
  for (int y = 1; y < ny - 1; ++y) {
    for (int x = 1; x < nx - 1; ++x) {
      if (std::fabs(field.at(x, y) - 6.0) > 1e-9) {
        std::fprintf(stderr, "wrong at %d, %d\n", x, y);
        return 1;
      }
    }
  }
  std::puts("laplacian is right");
}
