// HIP's floats of 4 bits: its own header where it has one, else these types.
#ifndef KERNELSET_HIP_HIP_FP4_H
#define KERNELSET_HIP_HIP_FP4_H
#if __has_include_next(<hip/hip_fp4.h>)
#include_next <hip/hip_fp4.h>
#else
#include <kernelset/hip_small_float.h>
#include <kernelset/fp4_types.h>
#endif
#endif
