// What PyTorch's own headers name of cuSPARSE. There is nothing behind it: whoever calls it does not link.
// Rule: cuSPARSE documentation, "cuSPARSE Types".
#pragma once
typedef struct cusparseContext* cusparseHandle_t;
typedef struct cusparseMatDescr* cusparseMatDescr_t;
enum cusparseStatus_t { CUSPARSE_STATUS_SUCCESS, CUSPARSE_STATUS_NOT_INITIALIZED };
const char* cusparseGetErrorString(cusparseStatus_t);
