// What CMake writes where PyTorch is built for CUDA; its builds for the CPU alone come without.
#pragma once
#define C10_CUDA_BUILD_SHARED_LIBS
