// HIP's floats of 6 bits: its own header where it has one, else these types.
#ifndef KERNELSET_HIP_HIP_FP6_H
#define KERNELSET_HIP_HIP_FP6_H
#if __has_include_next(<hip/hip_fp6.h>)
#include_next <hip/hip_fp6.h>
#else
#include <kernelset/hip_small_float.h>
#include <kernelset/fp6_types.h>
#endif
#endif
