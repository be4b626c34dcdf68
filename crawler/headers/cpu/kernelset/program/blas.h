// cuBLAS on the host's memory: products of matrices in plain loops that sum in the type of the elements. Any other call
// returns `CUBLAS_STATUS_NOT_SUPPORTED`, and is named in the log.
// Rule: cuBLAS documentation, "cublas<t>gemm()", "cublas<t>gemmStridedBatched()", "cublas<t>gemv()"; matrices are column-major.
#pragma once
#include <vector>

KS_RUNTIME_BEGIN
namespace kernelset {

template <class T>
T element_of(const T* matrix, int leading, cublasOperation_t operation, int row, int column) {
  const int stored_row = operation == CUBLAS_OP_N ? row : column, stored_column = operation == CUBLAS_OP_N ? column : row;
  return matrix[stored_row + size_t(stored_column) * leading];
}
template <class T>
cublasStatus_t multiply_matrices(cublasOperation_t on_a, cublasOperation_t on_b, int rows, int columns, int inner, const T* alpha,
                                 const T* a, int leading_a, const T* b, int leading_b, const T* beta, T* c, int leading_c) {
  if (rows < 0 || columns < 0 || inner < 0 || leading_c < (rows > 1 ? rows : 1)) return CUBLAS_STATUS_INVALID_VALUE;
  std::vector<T> column(rows);
  for (int j = 0; j < columns; ++j) {
    T* target = c + size_t(j) * leading_c;
    for (int i = 0; i < rows; ++i) {
      T sum = T(0);
      for (int k = 0; k < inner; ++k) {
        sum += element_of(a, leading_a, on_a, i, k) * element_of(b, leading_b, on_b, k, j);
      }
      // where beta is 0 the target is not read: it may hold a NaN
      column[i] = *beta == T(0) ? *alpha * sum : *alpha * sum + *beta * target[i];
    }
    // copied, so that the model knows that it was written
    copy_memory(target, column.data(), rows * sizeof(T));
  }
  return CUBLAS_STATUS_SUCCESS;
}
template <class T>
cublasStatus_t multiply_vector(cublasOperation_t operation, int rows, int columns, const T* alpha, const T* a, int leading,
                               const T* x, int x_step, const T* beta, T* y, int y_step) {
  if (rows < 0 || columns < 0 || x_step <= 0 || y_step <= 0) return CUBLAS_STATUS_NOT_SUPPORTED;
  const int count = operation == CUBLAS_OP_N ? rows : columns, inner = operation == CUBLAS_OP_N ? columns : rows;
  for (int i = 0; i < count; ++i) {
    T sum = T(0);
    for (int k = 0; k < inner; ++k) sum += element_of(a, leading, operation, i, k) * x[size_t(k) * x_step];
    T* target = y + size_t(i) * y_step;
    const T value = *beta == T(0) ? *alpha * sum : *alpha * sum + *beta * *target;
    copy_memory(target, &value, sizeof(T));
  }
  return CUBLAS_STATUS_SUCCESS;
}

}  // namespace kernelset
KS_RUNTIME_END

inline cublasStatus_t cublasCreate(cublasHandle_t* handle) {
  *handle = static_cast<cublasHandle_t>(kernelset::new_handle());
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  *handle = static_cast<cublasLtHandle_t>(kernelset::new_handle());
  return CUBLAS_STATUS_SUCCESS;
}
#define KS_BLAS_DONE(NAME)                  \
  template <class... Ignored>               \
  cublasStatus_t NAME(Ignored&&...) {       \
    return CUBLAS_STATUS_SUCCESS;           \
  }
KS_BLAS_DONE(cublasDestroy) KS_BLAS_DONE(cublasLtDestroy) KS_BLAS_DONE(cublasSetStream) KS_BLAS_DONE(cublasSetWorkspace)
KS_BLAS_DONE(cublasSetMathMode) KS_BLAS_DONE(cublasSetPointerMode) KS_BLAS_DONE(cublasSetAtomicsMode)
#undef KS_BLAS_DONE
#define cublasCreate_v2 cublasCreate
#define cublasDestroy_v2 cublasDestroy

#define KS_BLAS_OF(LETTER, T)                                                                                                   \
  inline cublasStatus_t cublas##LETTER##gemm(cublasHandle_t, cublasOperation_t on_a, cublasOperation_t on_b, int m, int n, int k, \
                                             const T* alpha, const T* a, int lda, const T* b, int ldb, const T* beta, T* c,     \
                                             int ldc) {                                                                         \
    return kernelset::multiply_matrices(on_a, on_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);                              \
  }                                                                                                                             \
  inline cublasStatus_t cublas##LETTER##gemmStridedBatched(                                                                     \
      cublasHandle_t, cublasOperation_t on_a, cublasOperation_t on_b, int m, int n, int k, const T* alpha, const T* a, int lda, \
      long long a_step, const T* b, int ldb, long long b_step, const T* beta, T* c, int ldc, long long c_step, int batches) {   \
    for (int batch = 0; batch < batches; ++batch) {                                                                             \
      const cublasStatus_t status = kernelset::multiply_matrices(on_a, on_b, m, n, k, alpha, a + batch * a_step, lda,           \
                                                                 b + batch * b_step, ldb, beta, c + batch * c_step, ldc);       \
      if (status) return status;                                                                                                \
    }                                                                                                                           \
    return CUBLAS_STATUS_SUCCESS;                                                                                               \
  }                                                                                                                             \
  inline cublasStatus_t cublas##LETTER##gemv(cublasHandle_t, cublasOperation_t on_a, int m, int n, const T* alpha, const T* a,  \
                                             int lda, const T* x, int x_step, const T* beta, T* y, int y_step) {                \
    return kernelset::multiply_vector(on_a, m, n, alpha, a, lda, x, x_step, beta, y, y_step);                                   \
  }
KS_BLAS_OF(S, float) KS_BLAS_OF(D, double)
#undef KS_BLAS_OF

// a call that the library has and the model has not: `KS_CUBLAS(cublasIsamax)`
#define KS_CUBLAS(NAME)                   \
  template <typename... Ignored>          \
  cublasStatus_t NAME(Ignored&&...) {     \
    kernelset::refuse_call(#NAME);        \
    return CUBLAS_STATUS_NOT_SUPPORTED;   \
  }
