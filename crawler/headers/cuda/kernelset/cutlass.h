// Reads CUTLASS's macros while clang says its own name: it then spells pragmas in macros as `_Pragma`,
// which is all that clang takes there. The prelude hides that word, and CUTLASS would take clang for nvcc.
#pragma once
#include <kernelset/cuda.cuh>
#define __CUDA__ 1
#if __has_include(<cutlass/detail/helper_macros.hpp>)
#include <cutlass/detail/helper_macros.hpp>
#endif
#if __has_include(<cutlass/cutlass.h>)
#include <cutlass/cutlass.h>
#endif
#undef __CUDA__
