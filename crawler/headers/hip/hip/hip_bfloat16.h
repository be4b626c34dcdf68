// The older of ROCm's two types of 16 bits, `hip_bfloat16`: ROCm's own header.
#pragma once
#if __has_include_next(<hip/hip_bfloat16.h>)
#include_next <hip/hip_bfloat16.h>
#endif
