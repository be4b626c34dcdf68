// Read before Eigen, which knows clang as a compiler of devices, and nvcc, but not the one that says it was the other.
// As nvcc's its math functions would stand in the global namespace, and clang asks for them where a template is read; by versions
// before 7.5 its halves are its own, since those of clang want to be host and device functions at once.
#pragma once
#include <kernelset/attributes.h>

#pragma push_macro("__NVCC__")
#undef __NVCC__
#include <Eigen/src/Core/util/Macros.h>
#pragma pop_macro("__NVCC__")
#undef EIGEN_CUDA_SDK_VER
#define EIGEN_CUDA_SDK_VER 70000

// a source that set this after here would get another layout than its author's
#pragma GCC poison EIGEN_DEFAULT_TO_ROW_MAJOR
