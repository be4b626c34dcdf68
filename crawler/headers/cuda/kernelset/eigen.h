// Included before Eigen, which knows nvcc, and clang as a compiler of CUDA, but not a clang that defines `__NVCC__`.
// Taken for nvcc, it would call math functions of the global namespace, which clang looks up where a template is defined.
// A toolkit before 7.5 makes Eigen define halves of its own: those of clang would have to be host and device functions at once.
#pragma once
#include <kernelset/attributes.h>

#pragma push_macro("__NVCC__")
#undef __NVCC__
#include <Eigen/src/Core/util/Macros.h>
#pragma pop_macro("__NVCC__")
#undef EIGEN_CUDA_SDK_VER
#define EIGEN_CUDA_SDK_VER 70000

// defined later it has no effect any more, and matrices would lie in memory otherwise than their author wants
#pragma GCC poison EIGEN_DEFAULT_TO_ROW_MAJOR
