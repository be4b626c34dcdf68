//: defect reads-one-column-too-many: out-of-bounds
//- for (int j = threadIdx.x; j < cols; j += blockDim.x) largest = fmaxf(largest, row[j]);
//+ for (int j = threadIdx.x; j <= cols; j += blockDim.x) largest = fmaxf(largest, row[j]);
//: defect forgets-a-barrier: race
//- if (threadIdx.x < step) shared[threadIdx.x] = fmaxf(shared[threadIdx.x], shared[threadIdx.x + step]);
//-     __syncthreads();
//+ if (threadIdx.x < step) shared[threadIdx.x] = fmaxf(shared[threadIdx.x], shared[threadIdx.x + step]);
//: defect reuses-shared-memory-too-early: race
//- __syncthreads();  // all have read the maximum
//+
//: defect rows-overlap: race|out-of-bounds|order-dependent
//- float *result = output + blockIdx.x * cols;
//+ float *result = output + blockIdx.x * (cols - 1);
#include <torch/extension.h>

__global__ void softmax_rows(const float *input, float *output, int cols) {
  __shared__ float shared[128];
  const float *row = input + blockIdx.x * cols;
  float *result = output + blockIdx.x * cols;
  float largest = -INFINITY;
  for (int j = threadIdx.x; j < cols; j += blockDim.x) largest = fmaxf(largest, row[j]);
  shared[threadIdx.x] = largest;
  __syncthreads();
  for (int step = blockDim.x / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) shared[threadIdx.x] = fmaxf(shared[threadIdx.x], shared[threadIdx.x + step]);
    __syncthreads();
  }
  largest = shared[0];
  __syncthreads();  // all have read the maximum
  float sum = 0.0f;
  for (int j = threadIdx.x; j < cols; j += blockDim.x) sum += expf(row[j] - largest);
  shared[threadIdx.x] = sum;
  __syncthreads();
  for (int step = blockDim.x / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) shared[threadIdx.x] += shared[threadIdx.x + step];
    __syncthreads();
  }
  sum = shared[0];
  for (int j = threadIdx.x; j < cols; j += blockDim.x) result[j] = expf(row[j] - largest) / sum;
}

at::Tensor softmax(at::Tensor input) {
  TORCH_CHECK(input.dim() == 2);
  auto output = at::empty_like(input);
  softmax_rows<<<input.size(0), 128>>>(input.data_ptr<float>(), output.data_ptr<float>(), input.size(1));
  return output;
}
