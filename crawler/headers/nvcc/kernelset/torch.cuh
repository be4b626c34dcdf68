// The prelude of CUDA units that name PyTorch's device types, over NVIDIA's own headers.
#pragma once
// as PyTorch has its extensions built: its own types would be ambiguous beside these operators
#define __CUDA_NO_HALF_OPERATORS__ 1
#define __CUDA_NO_HALF_CONVERSIONS__ 1
#define __CUDA_NO_HALF2_OPERATORS__ 1
#define __CUDA_NO_BFLOAT16_CONVERSIONS__ 1
#include <kernelset/cuda.cuh>
#define KS_NATIVE_HALF 1
#define KS_NATIVE_BFLOAT16 1
#include <kernelset/torch_types.h>
