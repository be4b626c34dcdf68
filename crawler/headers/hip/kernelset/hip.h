// The prelude of a kernel unit in HIP: the HIP runtime, and what CUDA code expects beyond it.
// Every function here gives way to one of the same name in a newer HIP. Warps stay 32 lanes wide for
// the `_sync` family, also where the hardware's are 64: masks and lane numbers mean what they meant.
#ifndef KERNELSET_HIP_H
#define KERNELSET_HIP_H

// newer HIP wants 64-bit masks in its own `_sync` family; ours takes the 32-bit ones that CUDA code has
#define HIP_DISABLE_WARP_SYNC_BUILTINS 1

#include <kernelset/allowed.h>
#include <kernelset/standard.h>

#include <kernelset/hip_trivial.h>
#include <kernelset/hip_operators.h>

// HIP's older ones name intrinsics that compilers have dropped: ours stand in <kernelset/hip_atomic.h>
#define atomicInc kernelset_hip_atomicInc
#define atomicDec kernelset_hip_atomicDec
#include <hip/hip_runtime.h>
#undef atomicInc
#undef atomicDec

#include <kernelset/hip_bindings.h>

#include <hip/hip_bf16.h>
#include <hip/hip_fp16.h>
#include <hip/hip_math_constants.h>

#include <assert.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

// what newer HIP has in place of <type_traits> and <assert.h>
#if HIP_VERSION_MAJOR < 5 || (HIP_VERSION_MAJOR == 5 && HIP_VERSION_MINOR < 3)
namespace __hip_internal {
using std::enable_if;
using std::false_type;
using std::is_floating_point;
using std::is_integral;
using std::is_same;
using std::true_type;
}  // namespace __hip_internal
#endif
#ifndef __hip_assert
#define __hip_assert(condition) static_cast<void>(condition)
#endif

// the CUDA architecture that an AMD device is taken for: native double and half atomics, no asynchronous copy
#if defined(__HIP_DEVICE_COMPILE__)
#define KERNELSET_CUDA_ARCH 700
#endif

// the toolkit that units are cut out for: what stands under its version is in them
#define KERNELSET_CUDA_VERSION 12090
#define KERNELSET_CUDACC_VER_MAJOR 12
#define KERNELSET_CUDACC_VER_MINOR 9

// what a build that translates names makes of these in sources that say HIP elsewhere
typedef __hip_bfloat16 __nv_bfloat16;
typedef __hip_bfloat162 __nv_bfloat162;

// an AMD kernel's arguments are constant where they lie
#ifndef __grid_constant__
#define __grid_constant__
#endif
#ifndef __nv_pure__
#define __nv_pure__
#endif
#ifndef __maxnreg__
#define __maxnreg__(number)
#endif
#ifndef __align__
#define __device_builtin__
#define __cudart_builtin__
#define __builtin_align__(bytes) __attribute__((aligned(bytes)))
#define __align__(bytes) __attribute__((aligned(bytes)))
#endif

// a template never clashes with a plain function of the same signature, and loses to it
#define KERNELSET_FILL template <int = 0> __device__ inline

#include <kernelset/hip_places.h>

#include <kernelset/hip_memory.h>

#include <kernelset/hip_atomic.h>
#include <kernelset/hip_half.h>
#include <kernelset/hip_bfloat16.h>
#include <kernelset/hip_integer.h>
#include <kernelset/hip_rounding.h>
#include <kernelset/sincos.h>
#include <kernelset/hip_warp.h>
#include <kernelset/hip_surface.h>

#include <kernelset/hip_ptx.h>

#include <kernelset/hip_ptx_block.h>
#include <kernelset/hip_ptx_carry.h>
#include <kernelset/hip_ptx_memory.h>

#endif
