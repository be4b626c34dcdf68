// NCCL's types and functions by name, which RCCL shares: projects hold communicators in classes that their kernels share.
// Rule: NCCL documentation, "NCCL API"; RCCL documentation, "API library".
#pragma once

struct ncclComm;
typedef ncclComm *ncclComm_t;
typedef struct { char internal[128]; } ncclUniqueId;
typedef enum {
  ncclSuccess = 0,
  ncclUnhandledCudaError = 1,
  ncclSystemError = 2,
  ncclInternalError = 3,
  ncclInvalidArgument = 4,
  ncclInvalidUsage = 5,
  ncclRemoteError = 6,
  ncclInProgress = 7
} ncclResult_t;
typedef enum { ncclSum = 0, ncclProd = 1, ncclMax = 2, ncclMin = 3, ncclAvg = 4 } ncclRedOp_t;
typedef enum {
  ncclInt8 = 0,
  ncclChar = 0,
  ncclUint8 = 1,
  ncclInt32 = 2,
  ncclInt = 2,
  ncclUint32 = 3,
  ncclInt64 = 4,
  ncclUint64 = 5,
  ncclFloat16 = 6,
  ncclHalf = 6,
  ncclFloat32 = 7,
  ncclFloat = 7,
  ncclFloat64 = 8,
  ncclDouble = 8,
  ncclBfloat16 = 9
} ncclDataType_t;

#define KS_NCCL(NAME) template <typename... T> ncclResult_t NAME(T &&...);
KS_NCCL(ncclGetUniqueId)
KS_NCCL(ncclGetVersion)
KS_NCCL(ncclCommInitRank)
KS_NCCL(ncclCommInitAll)
KS_NCCL(ncclCommDestroy)
KS_NCCL(ncclCommAbort)
KS_NCCL(ncclCommFinalize)
KS_NCCL(ncclCommSplit)
KS_NCCL(ncclCommCount)
KS_NCCL(ncclCommUserRank)
KS_NCCL(ncclCommGetAsyncError)
KS_NCCL(ncclCommRegister)
KS_NCCL(ncclCommDeregister)
KS_NCCL(ncclAllReduce)
KS_NCCL(ncclAllGather)
KS_NCCL(ncclReduceScatter)
KS_NCCL(ncclReduce)
KS_NCCL(ncclBroadcast)
KS_NCCL(ncclBcast)
KS_NCCL(ncclSend)
KS_NCCL(ncclRecv)
KS_NCCL(ncclGroupStart)
KS_NCCL(ncclGroupEnd)
#undef KS_NCCL
const char *ncclGetErrorString(ncclResult_t);
const char *ncclGetLastError(ncclComm_t);
