//: defect rows-and-columns-of-the-result-are-mixed-up: out-of-bounds
//- if (column < rows && row < columns) out[row * rows + column] = tile[threadIdx.x][threadIdx.y];
//+ if (column < columns && row < rows) out[row * rows + column] = tile[threadIdx.x][threadIdx.y];
#include <torch/extension.h>

constexpr int kSide = 16;

__global__ void transpose_bytes_kernel(const uint8_t* in, uint8_t* out, int rows, int columns) {
  __shared__ uint8_t tile[kSide][kSide + 4];
  int column = blockIdx.x * kSide + threadIdx.x;
  int row = blockIdx.y * kSide + threadIdx.y;
  if (row < rows && column < columns) tile[threadIdx.y][threadIdx.x] = in[row * columns + column];
  __syncthreads();
  column = blockIdx.y * kSide + threadIdx.x;
  row = blockIdx.x * kSide + threadIdx.y;
  if (column < rows && row < columns) out[row * rows + column] = tile[threadIdx.x][threadIdx.y];
}

torch::Tensor transpose_bytes(const torch::Tensor& in) {
  TORCH_CHECK(in.is_cuda(), "expected a CUDA tensor");
  TORCH_CHECK(in.dim() == 2 && in.scalar_type() == torch::kUInt8, "expected a matrix of bytes");
  TORCH_CHECK(in.is_contiguous(), "expected a contiguous matrix");
  const int rows = in.size(0), columns = in.size(1);
  auto out = torch::empty({columns, rows}, in.options());
  if (in.numel() == 0) return out;
  const dim3 grid((columns + kSide - 1) / kSide, (rows + kSide - 1) / kSide);
  transpose_bytes_kernel<<<grid, dim3(kSide, kSide)>>>(in.data_ptr<uint8_t>(), out.data_ptr<uint8_t>(), rows, columns);
  return out;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("transpose_bytes", &transpose_bytes); }
