// How CUDA spells floats of 4 and 6 bits.
#pragma once
#include <kernelset/cuda.cuh>

#define KS_SMALL(name) __nv_##name
#define KS_SMALL_WORD(name) __NV_##name
#define KS_ROUND_MODE cudaRoundMode
#define KS_ROUND_NEAREST cudaRoundNearest
#ifndef KS_BF16
#define KS_BF16 __nv_bfloat16
#define KS_BF16_2 __nv_bfloat162
#define KS_BF16_RAW __nv_bfloat16_raw
#endif
#define KS_BF16_2_RAW __nv_bfloat162_raw
