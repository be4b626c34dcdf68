// The prelude of HIP units that name PyTorch's device types.
#pragma once
#include <kernelset/hip.h>
#define KS_NATIVE_HALF 1
#define KS_NATIVE_BFLOAT16 1
#define __nv_bfloat16 __hip_bfloat16
#include <kernelset/torch_types.h>
#undef __nv_bfloat16
