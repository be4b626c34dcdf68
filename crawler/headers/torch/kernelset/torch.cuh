// The prelude of CUDA units that name PyTorch's device types.
#pragma once
#include <kernelset/cuda.cuh>
#define KS_NATIVE_HALF 1
#define KS_NATIVE_BFLOAT16 1
#include <kernelset/torch_types.h>
