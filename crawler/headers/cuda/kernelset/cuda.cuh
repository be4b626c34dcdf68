// The prelude of CUDA units, and what is forced into the parse of CUDA sources.
#pragma once
#include <kernelset/attributes.h>
#include <kernelset/vectors.h>
#include <kernelset/device.h>
#include <kernelset/nv_atomic.h>
#include <kernelset/runtime.h>
#include <kernelset/textures.h>
#include <kernelset/surfaces.h>
#include <kernelset/tensor_map.h>
#include <kernelset/half.h>
#undef __CUDA__  // a word of clang's own: sources take it for a compiler that lacks what nvcc has
