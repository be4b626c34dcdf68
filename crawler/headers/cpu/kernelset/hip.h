// The prelude of HIP units on a CPU: HIP's names over the same words, types and functions as CUDA's.
#pragma once
#define KERNELSET_SYNC_LANES 32
#define __HIP__ 1
#include <kernelset/cuda.cuh>
#include <kernelset/cpu/amd.h>

#include <hip/hip_runtime.h>
#include <kernelset/hip_vectors.h>

#include <algorithm>
#include <limits>
#include <type_traits>

// HIP has them as templates, too: `max<int64_t>(a, b)`
template <class T, class = std::enable_if_t<std::is_arithmetic<T>::value>>
KS_HD constexpr T min(const T& a, const T& b) {
  return b < a ? b : a;
}
template <class T, class = std::enable_if_t<std::is_arithmetic<T>::value>>
KS_HD constexpr T max(const T& a, const T& b) {
  return a < b ? b : a;
}

// the CUDA architecture that an AMD device is taken for, as in the prelude of a device
#define KERNELSET_CUDA_ARCH 700
#define __HIP_DEVICE_COMPILE__ 1
#undef __HIPCC__
#define __HIPCC__ 1
#undef __HIP_PLATFORM_NVIDIA__

#ifdef KERNELSET_PROGRAM  // `spell_out_launches` replaces them, and has to see the name
#undef hipLaunchKernelGGL
#endif
#undef HIP_DYNAMIC_SHARED
#define HIP_DYNAMIC_SHARED(type, variable) type(&variable)[] = kernelset::Dynamic();

KS_RUNTIME_BEGIN
KS_D unsigned __lane_id() { return kernelset::own_lane(); }
KS_RUNTIME_END
