// CUB's device-side primitives, and its host functions by name.
#pragma once
#include <kernelset/cuda.cuh>

#include <iterator>

#include <kernelset/cub_words.h>
#define CUB_PTX_ARCH 800
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
