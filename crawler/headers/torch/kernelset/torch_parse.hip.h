// The prelude of ported units whose classes have members on PyTorch's host side.
#pragma once
#include <kernelset/torch.hip.h>
#define cudaStream_t hipStream_t
#define cudaDeviceProp hipDeviceProp_t
#define cudaError_t hipError_t
#define cudaGetLastError hipGetLastError
#include <kernelset/torch_host.h>
#include <kernelset/torch_stable.h>
#undef cudaStream_t
#undef cudaDeviceProp
#undef cudaError_t
#undef cudaGetLastError
