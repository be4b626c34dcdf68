// CUB's device-side primitives, and its host functions by name.
#pragma once
#include <kernelset/cuda.cuh>

#include <iterator>

#define CUB_MAX(a, b) (((a) > (b)) ? (a) : (b))
#define CUB_MIN(a, b) (((a) < (b)) ? (a) : (b))
#define CUB_QUOTIENT_FLOOR(x, y) ((x) / (y))
#define CUB_QUOTIENT_CEILING(x, y) (((x) + (y) - 1) / (y))
#define CUB_ROUND_UP_NEAREST(x, y) ((((x) + (y) - 1) / (y)) * (y))
#define CUB_PTX_ARCH 800
#define CUB_PTX_WARP_THREADS 32
#define CUB_PTX_LOG_WARP_THREADS 5
#define CUB_WARP_THREADS(arch) 32
#define CUB_LOG_WARP_THREADS(arch) 5
#define CUB_SMEM_BANKS(arch) 32
#define CUB_LOG_SMEM_BANKS(arch) 5
#define CUB_PTX_PREFER_CONFLICT_OVER_PADDING 1
#define CUB_PREVENT_MACRO_SUBSTITUTION
#define CUB_VERSION 200800
#define CUB_NS_QUALIFIER ::cub
#define CUB_NAMESPACE_BEGIN namespace cub {
#define CUB_NAMESPACE_END }
#define CubDebug(e) (e)
#define CubDebugExit(e) (e)

#define KERNELSET_CUB cub
#define KERNELSET_STATUS cudaError_t
#include <kernelset/cub.h>
