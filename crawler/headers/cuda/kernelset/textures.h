// Texture and surface objects in device code. Declared, never defined: a texture unit is not to be had elsewhere.
// Rule: CUDA C++ Programming Guide, "Texture Functions" and "Surface Functions".
#pragma once
#include <kernelset/runtime.h>

#define KS_TEXTURE(NAME, ...)                                                     \
  template <typename T> __device__ T NAME(cudaTextureObject_t, __VA_ARGS__);      \
  template <typename T> __device__ void NAME(T *, cudaTextureObject_t, __VA_ARGS__);
KS_TEXTURE(tex1Dfetch, int)
KS_TEXTURE(tex1D, float)
KS_TEXTURE(tex1DLod, float, float)
KS_TEXTURE(tex1DGrad, float, float, float)
KS_TEXTURE(tex1DLayered, float, int)
KS_TEXTURE(tex1DLayeredLod, float, int, float)
KS_TEXTURE(tex1DLayeredGrad, float, int, float, float)
KS_TEXTURE(tex2D, float, float)
KS_TEXTURE(tex2DLod, float, float, float)
KS_TEXTURE(tex2DGrad, float, float, float2, float2)
KS_TEXTURE(tex2Dgather, float, float, int = 0)
KS_TEXTURE(tex2DLayered, float, float, int)
KS_TEXTURE(tex2DLayeredLod, float, float, int, float)
KS_TEXTURE(tex2DLayeredGrad, float, float, int, float2, float2)
KS_TEXTURE(tex3D, float, float, float)
KS_TEXTURE(tex3DLod, float, float, float, float)
KS_TEXTURE(tex3DGrad, float, float, float, float4, float4)
KS_TEXTURE(texCubemap, float, float, float)
KS_TEXTURE(texCubemapLod, float, float, float, float)
KS_TEXTURE(texCubemapLayered, float, float, float, int)
KS_TEXTURE(texCubemapLayeredLod, float, float, float, int, float)
#undef KS_TEXTURE

#define KS_SURFACE(NAME, ...)                                                                                         \
  template <typename T>                                                                                              \
  __device__ void NAME##write(T, cudaSurfaceObject_t, __VA_ARGS__, cudaSurfaceBoundaryMode = cudaBoundaryModeTrap);   \
  template <typename T>                                                                                              \
  __device__ void NAME##read(T *, cudaSurfaceObject_t, __VA_ARGS__, cudaSurfaceBoundaryMode = cudaBoundaryModeTrap);  \
  template <typename T>                                                                                              \
  __device__ T NAME##read(cudaSurfaceObject_t, __VA_ARGS__, cudaSurfaceBoundaryMode = cudaBoundaryModeTrap);
KS_SURFACE(surf1D, int)
KS_SURFACE(surf2D, int, int)
KS_SURFACE(surf3D, int, int, int)
KS_SURFACE(surf1DLayered, int, int)
KS_SURFACE(surf2DLayered, int, int, int)
KS_SURFACE(surfCubemap, int, int, int)
KS_SURFACE(surfCubemapLayered, int, int, int)
#undef KS_SURFACE
