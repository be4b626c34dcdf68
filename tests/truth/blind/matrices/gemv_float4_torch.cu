//: defect rows-of-any-width-are-read-in-fours: misaligned
//- TORCH_CHECK(cols % 4 == 0, "columns must be a multiple of 4");
//+
//: defect row-begins-one-float-later: misaligned
//- const float4 *line = reinterpret_cast<const float4 *>(matrix + row * cols);
//+ const float4 *line = reinterpret_cast<const float4 *>(matrix + row * cols + 1);
//: defect count-of-fours-is-count-of-floats: out-of-bounds
//- for (int64_t i = threadIdx.x; i < cols / 4; i += blockDim.x) {
//+ for (int64_t i = threadIdx.x; i < cols; i += blockDim.x) {
#include <torch/extension.h>

__global__ void gemv_float4(const float *matrix, const float *vector, float *result, int64_t cols)
{
    __shared__ float partial[4];
    const int64_t row = blockIdx.x;
    const float4 *line = reinterpret_cast<const float4 *>(matrix + row * cols);
    const float4 *x = reinterpret_cast<const float4 *>(vector);
    float sum = 0.0f;
    for (int64_t i = threadIdx.x; i < cols / 4; i += blockDim.x) {
        const float4 a = line[i];
        const float4 b = x[i];
        sum += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
    }
    for (int offset = 16; offset != 0; offset >>= 1)
        sum += __shfl_xor_sync(~0u, sum, offset);
    if ((threadIdx.x & 31) == 0)
        partial[threadIdx.x >> 5] = sum;
    __syncthreads();
    if (threadIdx.x == 0)
        result[row] = partial[0] + partial[1] + partial[2] + partial[3];
}

torch::Tensor gemv(torch::Tensor matrix, torch::Tensor vector)
{
    TORCH_CHECK(matrix.is_cuda() && vector.is_cuda());
    TORCH_CHECK(matrix.dim() == 2 && vector.dim() == 1 && vector.size(0) == matrix.size(1));
    const int64_t rows = matrix.size(0), cols = matrix.size(1);
    TORCH_CHECK(cols % 4 == 0, "columns must be a multiple of 4");
    matrix = matrix.contiguous();
    vector = vector.contiguous();
    TORCH_CHECK(reinterpret_cast<uintptr_t>(matrix.data_ptr<float>()) % 16 == 0);
    TORCH_CHECK(reinterpret_cast<uintptr_t>(vector.data_ptr<float>()) % 16 == 0);
    torch::Tensor result = torch::empty({rows}, matrix.options());
    if (rows > 0)
        gemv_float4<<<rows, 128>>>(matrix.data_ptr<float>(), vector.data_ptr<float>(), result.data_ptr<float>(), cols);
    return result;
}
