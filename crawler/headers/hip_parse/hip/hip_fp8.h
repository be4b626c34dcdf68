#pragma once
#include <hip/hip_runtime.h>
#define KS_FP8(name) __hip_##name
#define KS_FP8_WORD(name) __HIP_##name
#define KS_FP8_FNUZ 1
#define KS_BF16 __nv_bfloat16
#define KS_BF16_2 __nv_bfloat162
#define KS_BF16_RAW __nv_bfloat16_raw
#include <kernelset/fp8_types.h>
