// hipFFT: the installed one where there is one, else its names.
#pragma once
#if __has_include_next(<hipfft/hipfft.h>)
#include_next <hipfft/hipfft.h>
#else
#include <kernelset/hip.h>
#include <hip/hip_complex.h>
#define KS_FFT(NAME) hipfft##NAME
#define KS_FFT_WORD(NAME) HIPFFT_##NAME
#include <kernelset/fft.h>
#undef KS_FFT
#undef KS_FFT_WORD
typedef hipComplex hipfftComplex;
typedef hipDoubleComplex hipfftDoubleComplex;
#define HIPFFT_FORWARD -1
#define HIPFFT_BACKWARD 1
#endif
