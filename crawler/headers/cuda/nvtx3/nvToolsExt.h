// NVTX: marks and ranges that host code shows to a profiler. They do nothing.
#pragma once
#include <stddef.h>
#include <stdint.h>

#define NVTX_VERSION 3
#define NVTX_API
#define NVTX_NO_PUSH_POP_TRACKING (-2)
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE ((uint16_t)(sizeof(nvtxEventAttributes_t)))

typedef uint64_t nvtxRangeId_t;
typedef struct nvtxDomainRegistration_st *nvtxDomainHandle_t;
typedef struct nvtxStringRegistration_st *nvtxStringHandle_t;
typedef enum nvtxColorType_t { NVTX_COLOR_UNKNOWN = 0, NVTX_COLOR_ARGB = 1 } nvtxColorType_t;
typedef enum nvtxMessageType_t {
  NVTX_MESSAGE_UNKNOWN = 0,
  NVTX_MESSAGE_TYPE_ASCII = 1,
  NVTX_MESSAGE_TYPE_UNICODE = 2,
  NVTX_MESSAGE_TYPE_REGISTERED = 3
} nvtxMessageType_t;
typedef union nvtxMessageValue_t {
  const char *ascii;
  const wchar_t *unicode;
  nvtxStringHandle_t registered;
} nvtxMessageValue_t;
typedef enum nvtxPayloadType_t {
  NVTX_PAYLOAD_UNKNOWN = 0,
  NVTX_PAYLOAD_TYPE_UNSIGNED_INT64 = 1,
  NVTX_PAYLOAD_TYPE_INT64 = 2,
  NVTX_PAYLOAD_TYPE_DOUBLE = 3,
  NVTX_PAYLOAD_TYPE_UNSIGNED_INT32 = 4,
  NVTX_PAYLOAD_TYPE_INT32 = 5,
  NVTX_PAYLOAD_TYPE_FLOAT = 6
} nvtxPayloadType_t;
typedef struct nvtxEventAttributes_v2 {
  uint16_t version;
  uint16_t size;
  uint32_t category;
  int32_t colorType;
  uint32_t color;
  int32_t payloadType;
  int32_t reserved0;
  union payload_t {
    uint64_t ullValue;
    int64_t llValue;
    double dValue;
    uint32_t uiValue;
    int32_t iValue;
    float fValue;
  } payload;
  int32_t messageType;
  nvtxMessageValue_t message;
} nvtxEventAttributes_t;

#ifdef __cplusplus
extern "C" {
#endif
#ifdef KERNELSET_PROGRAM  // no profiler looks
#define KS_NVTX static inline
#define KS_DONE {}
#define KS_ZERO { return 0; }
#else
#define KS_NVTX
#define KS_DONE ;
#define KS_ZERO ;
#endif
KS_NVTX void nvtxInitialize(const void *reserved) KS_DONE
KS_NVTX void nvtxMarkEx(const nvtxEventAttributes_t *attributes) KS_DONE
KS_NVTX void nvtxMarkA(const char *message) KS_DONE
KS_NVTX void nvtxMarkW(const wchar_t *message) KS_DONE
KS_NVTX nvtxRangeId_t nvtxRangeStartEx(const nvtxEventAttributes_t *attributes) KS_ZERO
KS_NVTX nvtxRangeId_t nvtxRangeStartA(const char *message) KS_ZERO
KS_NVTX nvtxRangeId_t nvtxRangeStartW(const wchar_t *message) KS_ZERO
KS_NVTX void nvtxRangeEnd(nvtxRangeId_t id) KS_DONE
KS_NVTX int nvtxRangePushEx(const nvtxEventAttributes_t *attributes) KS_ZERO
KS_NVTX int nvtxRangePushA(const char *message) KS_ZERO
KS_NVTX int nvtxRangePushW(const wchar_t *message) KS_ZERO
KS_NVTX int nvtxRangePop(void) KS_ZERO
KS_NVTX void nvtxNameCategoryA(uint32_t category, const char *name) KS_DONE
KS_NVTX void nvtxNameCategoryW(uint32_t category, const wchar_t *name) KS_DONE
KS_NVTX void nvtxNameOsThreadA(uint32_t thread, const char *name) KS_DONE
KS_NVTX void nvtxNameOsThreadW(uint32_t thread, const wchar_t *name) KS_DONE
KS_NVTX nvtxDomainHandle_t nvtxDomainCreateA(const char *name) KS_ZERO
KS_NVTX nvtxDomainHandle_t nvtxDomainCreateW(const wchar_t *name) KS_ZERO
KS_NVTX void nvtxDomainDestroy(nvtxDomainHandle_t domain) KS_DONE
KS_NVTX nvtxStringHandle_t nvtxDomainRegisterStringA(nvtxDomainHandle_t domain, const char *string) KS_ZERO
KS_NVTX nvtxStringHandle_t nvtxDomainRegisterStringW(nvtxDomainHandle_t domain, const wchar_t *string) KS_ZERO
KS_NVTX void nvtxDomainNameCategoryA(nvtxDomainHandle_t domain, uint32_t category, const char *name) KS_DONE
KS_NVTX void nvtxDomainNameCategoryW(nvtxDomainHandle_t domain, uint32_t category, const wchar_t *name) KS_DONE
KS_NVTX void nvtxDomainMarkEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *attributes) KS_DONE
KS_NVTX nvtxRangeId_t nvtxDomainRangeStartEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *attributes) KS_ZERO
KS_NVTX void nvtxDomainRangeEnd(nvtxDomainHandle_t domain, nvtxRangeId_t id) KS_DONE
KS_NVTX int nvtxDomainRangePushEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *attributes) KS_ZERO
KS_NVTX int nvtxDomainRangePop(nvtxDomainHandle_t domain) KS_ZERO
#undef KS_NVTX
#undef KS_DONE
#undef KS_ZERO
#ifdef __cplusplus
}
#endif

#ifdef UNICODE
#define nvtxMark nvtxMarkW
#define nvtxRangeStart nvtxRangeStartW
#define nvtxRangePush nvtxRangePushW
#define nvtxNameCategory nvtxNameCategoryW
#define nvtxNameOsThread nvtxNameOsThreadW
#define nvtxDomainCreate nvtxDomainCreateW
#define nvtxDomainRegisterString nvtxDomainRegisterStringW
#define nvtxDomainNameCategory nvtxDomainNameCategoryW
#else
#define nvtxMark nvtxMarkA
#define nvtxRangeStart nvtxRangeStartA
#define nvtxRangePush nvtxRangePushA
#define nvtxNameCategory nvtxNameCategoryA
#define nvtxNameOsThread nvtxNameOsThreadA
#define nvtxDomainCreate nvtxDomainCreateA
#define nvtxDomainRegisterString nvtxDomainRegisterStringA
#define nvtxDomainNameCategory nvtxDomainNameCategoryA
#endif
