// The overloads of `sincos` and `sincospi` for float, which CUDA's headers have and clang's lack in both dialects.
// Rule: CUDA Math API, "Single Precision Mathematical Functions". A template gives way to a project's own.
#pragma once
template <int = 0> static __device__ inline void sincos(float x, float *sine, float *cosine) {
  ::sincosf(x, sine, cosine);
}
template <int = 0> static __device__ inline void sincospi(float x, float *sine, float *cosine) {
  ::sincospif(x, sine, cosine);
}
