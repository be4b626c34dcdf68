// The host side of cuBLAS and cuBLASLt, which launchers name beside their kernels. Declared, never defined: a function
// takes what it is given.
// Rule: cuBLAS documentation, "Using the cuBLAS API" and "Using the cuBLASLt API".
#pragma once
#include <kernelset/cuda.cuh>

typedef struct cublasContext *cublasHandle_t;
typedef struct cublasLtContext *cublasLtHandle_t;
enum cublasStatus_t {
  CUBLAS_STATUS_SUCCESS, CUBLAS_STATUS_NOT_INITIALIZED, CUBLAS_STATUS_ALLOC_FAILED = 3, CUBLAS_STATUS_INVALID_VALUE = 7,
  CUBLAS_STATUS_ARCH_MISMATCH, CUBLAS_STATUS_MAPPING_ERROR = 11, CUBLAS_STATUS_EXECUTION_FAILED = 13,
  CUBLAS_STATUS_INTERNAL_ERROR, CUBLAS_STATUS_NOT_SUPPORTED, CUBLAS_STATUS_LICENSE_ERROR
};
enum cublasOperation_t { CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C, CUBLAS_OP_HERMITAN = CUBLAS_OP_C, CUBLAS_OP_CONJG };
enum cublasFillMode_t { CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER, CUBLAS_FILL_MODE_FULL };
enum cublasDiagType_t { CUBLAS_DIAG_NON_UNIT, CUBLAS_DIAG_UNIT };
enum cublasSideMode_t { CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT };
enum cublasPointerMode_t { CUBLAS_POINTER_MODE_HOST, CUBLAS_POINTER_MODE_DEVICE };
enum cublasAtomicsMode_t { CUBLAS_ATOMICS_NOT_ALLOWED, CUBLAS_ATOMICS_ALLOWED };
enum cublasMath_t {
  CUBLAS_DEFAULT_MATH, CUBLAS_TENSOR_OP_MATH, CUBLAS_PEDANTIC_MATH, CUBLAS_TF32_TENSOR_OP_MATH,
  CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION = 16
};
enum cublasComputeType_t {
  CUBLAS_COMPUTE_16F = 64, CUBLAS_COMPUTE_16F_PEDANTIC, CUBLAS_COMPUTE_32F = 68, CUBLAS_COMPUTE_32F_PEDANTIC,
  CUBLAS_COMPUTE_64F = 70, CUBLAS_COMPUTE_64F_PEDANTIC, CUBLAS_COMPUTE_32I, CUBLAS_COMPUTE_32I_PEDANTIC,
  CUBLAS_COMPUTE_32F_FAST_16F, CUBLAS_COMPUTE_32F_FAST_16BF, CUBLAS_COMPUTE_32F_FAST_TF32 = 77
};
#define KS_ALGO(n) CUBLAS_GEMM_ALGO##n = n, CUBLAS_GEMM_ALGO##n##_TENSOR_OP = 100 + n
enum cublasGemmAlgo_t {
  CUBLAS_GEMM_DFALT = -1, CUBLAS_GEMM_DEFAULT = -1, KS_ALGO(0), KS_ALGO(1), KS_ALGO(2), KS_ALGO(3), KS_ALGO(4), KS_ALGO(5),
  KS_ALGO(6), KS_ALGO(7), KS_ALGO(8), KS_ALGO(9), KS_ALGO(10), KS_ALGO(11), KS_ALGO(12), KS_ALGO(13), KS_ALGO(14), KS_ALGO(15),
  CUBLAS_GEMM_ALGO16, CUBLAS_GEMM_ALGO17, CUBLAS_GEMM_ALGO18, CUBLAS_GEMM_ALGO19, CUBLAS_GEMM_ALGO20, CUBLAS_GEMM_ALGO21,
  CUBLAS_GEMM_ALGO22, CUBLAS_GEMM_ALGO23, CUBLAS_GEMM_DFALT_TENSOR_OP = 99, CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99
};
#undef KS_ALGO
typedef cudaDataType_t cublasDataType_t;
#define CUBLAS_VER_MAJOR 12
#define CUBLAS_VER_MINOR 8
#define CUBLAS_VERSION 120800

#ifdef KERNELSET_PROGRAM
#include <kernelset/program/blas.h>
#else
#define KS_CUBLAS(NAME) template <typename... Arguments> cublasStatus_t NAME(Arguments &&...);
KS_CUBLAS(cublasCreate) KS_CUBLAS(cublasCreate_v2) KS_CUBLAS(cublasDestroy) KS_CUBLAS(cublasDestroy_v2)
KS_CUBLAS(cublasSetStream) KS_CUBLAS(cublasSetWorkspace) KS_CUBLAS(cublasSetMathMode) KS_CUBLAS(cublasSetPointerMode)
KS_CUBLAS(cublasSetAtomicsMode) KS_CUBLAS(cublasLtCreate) KS_CUBLAS(cublasLtDestroy) KS_CUBLAS(cublasSgemm) KS_CUBLAS(cublasDgemm) KS_CUBLAS(cublasSgemmStridedBatched)
KS_CUBLAS(cublasDgemmStridedBatched) KS_CUBLAS(cublasSgemv) KS_CUBLAS(cublasDgemv)
#endif
KS_CUBLAS(cublasGetStream) KS_CUBLAS(cublasGetMathMode) KS_CUBLAS(cublasGetPointerMode) KS_CUBLAS(cublasCgemm)
KS_CUBLAS(cublasZgemm) KS_CUBLAS(cublasCgemmStridedBatched) KS_CUBLAS(cublasZgemmStridedBatched) KS_CUBLAS(cublasCgemv)
KS_CUBLAS(cublasZgemv) KS_CUBLAS(cublasGetVersion) KS_CUBLAS(cublasGemmEx) KS_CUBLAS(cublasSgemmEx) KS_CUBLAS(cublasGemmBatchedEx)
KS_CUBLAS(cublasGemmStridedBatchedEx) KS_CUBLAS(cublasStrsmBatched) KS_CUBLAS(cublasDtrsmBatched)
#define KS_CUBLAS_OF_TYPES(NAME) KS_CUBLAS(cublasS##NAME) KS_CUBLAS(cublasD##NAME) KS_CUBLAS(cublasC##NAME) KS_CUBLAS(cublasZ##NAME)
KS_CUBLAS_OF_TYPES(gemmBatched)
KS_CUBLAS_OF_TYPES(axpy) KS_CUBLAS_OF_TYPES(scal) KS_CUBLAS_OF_TYPES(copy) KS_CUBLAS_OF_TYPES(swap) KS_CUBLAS_OF_TYPES(symm)
KS_CUBLAS_OF_TYPES(syrk) KS_CUBLAS_OF_TYPES(syr2k) KS_CUBLAS_OF_TYPES(trmm) KS_CUBLAS_OF_TYPES(trsm) KS_CUBLAS_OF_TYPES(geam)
KS_CUBLAS(cublasHgemm) KS_CUBLAS(cublasHgemmBatched) KS_CUBLAS(cublasHgemmStridedBatched) KS_CUBLAS(cublasSdot)
KS_CUBLAS(cublasDdot) KS_CUBLAS(cublasSnrm2) KS_CUBLAS(cublasDnrm2) KS_CUBLAS(cublasSasum) KS_CUBLAS(cublasIsamax)
#undef KS_CUBLAS_OF_TYPES
#ifdef KERNELSET_PROGRAM
inline const char *cublasGetStatusString(cublasStatus_t status) { return status ? "cuBLAS failed" : "success"; }
inline const char *cublasGetStatusName(cublasStatus_t status) { return status ? "CUBLAS_STATUS" : "CUBLAS_STATUS_SUCCESS"; }
#else
const char *cublasGetStatusString(cublasStatus_t);
const char *cublasGetStatusName(cublasStatus_t);
#endif

struct cublasLtMatmulDescOpaque_t { unsigned long long words[32]; };
struct cublasLtMatrixLayoutOpaque_t { unsigned long long words[8]; };
struct cublasLtMatmulPreferenceOpaque_t { unsigned long long words[8]; };
struct cublasLtMatmulAlgo_t { unsigned long long words[8]; };
typedef cublasLtMatmulDescOpaque_t *cublasLtMatmulDesc_t;
typedef cublasLtMatrixLayoutOpaque_t *cublasLtMatrixLayout_t;
typedef cublasLtMatmulPreferenceOpaque_t *cublasLtMatmulPreference_t;
struct cublasLtMatmulHeuristicResult_t {
  cublasLtMatmulAlgo_t algo;
  size_t workspaceSize;
  cublasStatus_t state;
  float wavesCount;
};
enum cublasLtEpilogue_t {
  CUBLASLT_EPILOGUE_DEFAULT = 1, CUBLASLT_EPILOGUE_RELU = 2, CUBLASLT_EPILOGUE_BIAS = 4, CUBLASLT_EPILOGUE_RELU_BIAS = 6,
  CUBLASLT_EPILOGUE_GELU = 32, CUBLASLT_EPILOGUE_GELU_BIAS = 36, CUBLASLT_EPILOGUE_GELU_AUX = 160,
  CUBLASLT_EPILOGUE_GELU_AUX_BIAS = 164, CUBLASLT_EPILOGUE_DGELU = 192, CUBLASLT_EPILOGUE_BGRADA = 256,
  CUBLASLT_EPILOGUE_BGRADB = 512
};
enum cublasLtMatmulDescAttributes_t {
  CUBLASLT_MATMUL_DESC_COMPUTE_TYPE, CUBLASLT_MATMUL_DESC_SCALE_TYPE, CUBLASLT_MATMUL_DESC_POINTER_MODE,
  CUBLASLT_MATMUL_DESC_TRANSA, CUBLASLT_MATMUL_DESC_TRANSB, CUBLASLT_MATMUL_DESC_TRANSC, CUBLASLT_MATMUL_DESC_FILL_MODE,
  CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_MATMUL_DESC_BIAS_POINTER, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER = 17,
  CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, CUBLASLT_MATMUL_DESC_C_SCALE_POINTER, CUBLASLT_MATMUL_DESC_D_SCALE_POINTER
};
enum cublasLtMatrixLayoutAttribute_t {
  CUBLASLT_MATRIX_LAYOUT_TYPE, CUBLASLT_MATRIX_LAYOUT_ORDER, CUBLASLT_MATRIX_LAYOUT_ROWS, CUBLASLT_MATRIX_LAYOUT_COLS,
  CUBLASLT_MATRIX_LAYOUT_LD, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET
};
enum cublasLtMatmulPreferenceAttributes_t {
  CUBLASLT_MATMUL_PREF_SEARCH_MODE, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES
};
enum cublasLtOrder_t { CUBLASLT_ORDER_COL, CUBLASLT_ORDER_ROW, CUBLASLT_ORDER_COL32 };
KS_CUBLAS(cublasLtMatmul) KS_CUBLAS(cublasLtMatmulDescCreate)
KS_CUBLAS(cublasLtMatmulDescInit) KS_CUBLAS(cublasLtMatmulDescDestroy) KS_CUBLAS(cublasLtMatmulDescSetAttribute)
KS_CUBLAS(cublasLtMatrixLayoutCreate) KS_CUBLAS(cublasLtMatrixLayoutInit) KS_CUBLAS(cublasLtMatrixLayoutDestroy)
KS_CUBLAS(cublasLtMatrixLayoutSetAttribute) KS_CUBLAS(cublasLtMatmulPreferenceCreate) KS_CUBLAS(cublasLtMatmulPreferenceInit)
KS_CUBLAS(cublasLtMatmulPreferenceDestroy) KS_CUBLAS(cublasLtMatmulPreferenceSetAttribute)
KS_CUBLAS(cublasLtMatmulAlgoGetHeuristic) KS_CUBLAS(cublasLtMatmulAlgoConfigGetAttribute) KS_CUBLAS(cublasLtMatrixTransform)
#undef KS_CUBLAS
