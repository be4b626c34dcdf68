// HIP's complex numbers without operators, as its later releases have them.
//
// Releases up to 5 define them on `float2` and `double2`, where CUDA has none: a project that brings
// its own would define them twice.
#ifndef KERNELSET_HIP_COMPLEX_H
#define KERNELSET_HIP_COMPLEX_H

#include <hip/hip_runtime.h>

#include <cmath>

#if defined(__cplusplus) && defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wbuiltin-macro-redefined"
// those operators stand under `#if __cplusplus`; all else that is included is included already
#pragma push_macro("__cplusplus")
#undef __cplusplus
#include_next <hip/hip_complex.h>
#pragma pop_macro("__cplusplus")
#pragma clang diagnostic pop
#else
#include_next <hip/hip_complex.h>
#endif

#endif
