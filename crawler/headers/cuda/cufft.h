// cuFFT, which launchers call beside their kernels, and whose complex numbers kernels take.
#pragma once
#include <kernelset/cuda.cuh>
#include <cuComplex.h>
#define KS_FFT(NAME) cufft##NAME
#define KS_FFT_WORD(NAME) CUFFT_##NAME
#include <kernelset/fft.h>
#undef KS_FFT
#undef KS_FFT_WORD
typedef cuComplex cufftComplex;
typedef cuDoubleComplex cufftDoubleComplex;
#define CUFFT_FORWARD -1
#define CUFFT_INVERSE 1
#define CUFFT_VER_MAJOR 11
#define CUFFT_VER_MINOR 3
#define CUFFT_VERSION 11300
