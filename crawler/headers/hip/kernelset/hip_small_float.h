// How HIP spells floats of 4 and 6 bits, where it has none of its own.
#ifndef KERNELSET_HIP_SMALL_FLOAT_H
#define KERNELSET_HIP_SMALL_FLOAT_H
#include <hip/hip_bf16.h>
#include <hip/hip_fp16.h>

enum hipRoundMode { hipRoundNearest, hipRoundZero, hipRoundPosInf, hipRoundMinInf };

#define KS_SMALL(name) __hip_##name
#define KS_SMALL_WORD(name) __HIP_##name
#define KS_ROUND_MODE hipRoundMode
#define KS_ROUND_NEAREST hipRoundNearest
#ifndef KS_BF16
#define KS_BF16 __hip_bfloat16
#define KS_BF16_2 __hip_bfloat162
#define KS_BF16_RAW __hip_bfloat16_raw
#endif
#define KS_BF16_2_RAW __hip_bfloat162_raw
#endif
