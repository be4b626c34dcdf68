//: defect one-row-too-many: out-of-bounds
//- if (row >= rows) return;
//+ if (row > rows) return;
//: defect row-pointers-without-the-end: out-of-bounds
//- DeviceBuffer<int> row_ptr(matrix.row_ptr.size());
//+ DeviceBuffer<int> row_ptr(matrix.rows);
//: defect lanes-shuffle-inside-the-loop: divergent-warp|inactive-lane
//- for (int k = row_ptr[row] + lane; k < row_ptr[row + 1]; k += 32)
//-     sum += values[k] * x[columns[k]];
//-   for (int offset = 16; offset > 0; offset /= 2)
//-     sum += __shfl_down_sync(0xffffffffu, sum, offset);
//+ for (int k = row_ptr[row] + lane; k < row_ptr[row + 1]; k += 32) {
//+     float product = values[k] * x[columns[k]];
//+     for (int offset = 16; offset > 0; offset /= 2)
//+       product += __shfl_down_sync(0xffffffffu, product, offset);
//+     sum += product;
//+   }
#include <cuda_runtime.h>

#include <iostream>
#include <stdexcept>
#include <vector>

template <typename T>
class DeviceBuffer {
 public:
  explicit DeviceBuffer(size_t count) : count_(count) {
    if (cudaMalloc(reinterpret_cast<void**>(&data_), count * sizeof(T)) != cudaSuccess) throw std::bad_alloc();
  }
  ~DeviceBuffer() { cudaFree(data_); }
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;
  void upload(const std::vector<T>& host) {
    cudaMemcpy(data_, host.data(), count_ * sizeof(T), cudaMemcpyHostToDevice);
  }
  void download(std::vector<T>& host) const {
    cudaMemcpy(host.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost);
  }
  T* get() { return data_; }

 private:
  size_t count_;
  T* data_ = nullptr;
};

struct CsrMatrix {
  int rows, cols;
  std::vector<int> row_ptr, columns;
  std::vector<float> values;
};

__global__ void spmv_warp_per_row(int rows, const int* __restrict__ row_ptr, const int* __restrict__ columns,
                                  const float* __restrict__ values, const float* __restrict__ x,
                                  float* __restrict__ y) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const int lane = threadIdx.x % 32;
  if (row >= rows) return;
  float sum = 0.f;
  for (int k = row_ptr[row] + lane; k < row_ptr[row + 1]; k += 32)
    sum += values[k] * x[columns[k]];
  for (int offset = 16; offset > 0; offset /= 2)
    sum += __shfl_down_sync(0xffffffffu, sum, offset);
  if (lane == 0) y[row] = sum;
}

CsrMatrix make_matrix(int rows, int cols) {
  CsrMatrix matrix{rows, cols, {0}, {}, {}};
  for (int row = 0; row < rows; ++row) {
    for (int k = 0; k < row * 13 % 71; ++k) {
      matrix.columns.push_back((row * 5 + k * 11) % cols);
      matrix.values.push_back(1.f / float(1 + k));
    }
    matrix.row_ptr.push_back(int(matrix.columns.size()));
  }
  return matrix;
}

int main() {
  const CsrMatrix matrix = make_matrix(1003, 911);
  DeviceBuffer<int> row_ptr(matrix.row_ptr.size());
  DeviceBuffer<int> columns(matrix.columns.size());
  DeviceBuffer<float> values(matrix.values.size()), x(matrix.cols), y(matrix.rows);
  row_ptr.upload(matrix.row_ptr);
  columns.upload(matrix.columns);
  values.upload(matrix.values);
  x.upload(std::vector<float>(matrix.cols, 0.5f));

  const int threads = 128;
  const int blocks = (matrix.rows * 32 + threads - 1) / threads;
  spmv_warp_per_row<<<blocks, threads>>>(matrix.rows, row_ptr.get(), columns.get(), values.get(), x.get(), y.get());
  std::vector<float> result(matrix.rows);
  y.download(result);
  std::cout << result[500] << "\n";
}
