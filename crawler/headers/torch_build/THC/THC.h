// What extensions of old called of PyTorch's C library for CUDA, which it dropped; each has a successor that does the same.
// Rule: THC/THCGeneral.h and THC/THCCachingAllocator.h of PyTorch 1.10. The state that they take is never looked at: a
// program may declare it `extern` and have none.
#pragma once
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/Exceptions.h>
#include <c10/cuda/CUDACachingAllocator.h>

typedef struct THCState THCState;
#define THCudaCheck(...) C10_CUDA_CHECK(__VA_ARGS__)
#define THCudaMalloc(STATE, BYTES) ::c10::cuda::CUDACachingAllocator::raw_alloc(BYTES)
#define THCudaFree(STATE, PLACE) ::c10::cuda::CUDACachingAllocator::raw_delete(PLACE)
#define THCState_getCurrentStream(STATE) ::at::cuda::getCurrentCUDAStream().stream()
