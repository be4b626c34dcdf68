//: defect next-rows-products-come-before-the-sum-is-read: race
//- if (threadIdx.x == 0) {
//-       T sum = 0;
//-       for (int t = 0; t < Threads; ++t) sum += products[t];
//-       y[row] = alpha * sum;
//-     }
//-     __syncthreads();
//+ if (threadIdx.x == 0) {
//+       T sum = 0;
//+       for (int t = 0; t < Threads; ++t) sum += products[t];
//+       y[row] = alpha * sum;
//+     }
#pragma once

// y = alpha A x; one block for all rows of a small matrix of each batch.
template <typename T, int Threads>
__global__ void batched_small_gemv(int rows, int columns, T alpha, const T* __restrict__ a, const T* __restrict__ x,
                                   T* __restrict__ y) {
  __shared__ T products[Threads];
  a += static_cast<size_t>(blockIdx.x) * rows * columns;
  x += static_cast<size_t>(blockIdx.x) * columns;
  y += static_cast<size_t>(blockIdx.x) * rows;
  for (int row = 0; row < rows; ++row) {
    T product = 0;
    for (int column = threadIdx.x; column < columns; column += Threads) product += a[row * columns + column] * x[column];
    products[threadIdx.x] = product;
    __syncthreads();
    if (threadIdx.x == 0) {
      T sum = 0;
      for (int t = 0; t < Threads; ++t) sum += products[t];
      y[row] = alpha * sum;
    }
    __syncthreads();
  }
}

template <typename T>
void launch_small_gemv(int batches, int rows, int columns, T alpha, const T* a, const T* x, T* y, cudaStream_t stream) {
  batched_small_gemv<T, 64><<<batches, 64, 0, stream>>>(rows, columns, alpha, a, x, y);
}

template void launch_small_gemv<float>(int, int, int, float, const float*, const float*, float*, cudaStream_t);
