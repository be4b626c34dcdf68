// Texture objects and references in device code: fetches are those of clang's own header, which CUDA's headers call.
// Rule: CUDA C++ Programming Guide 11, "Texture Functions"; CUDA 11's texture_types.h for references.
#pragma once
#include <kernelset/runtime.h>
#include <kernelset/texture_types.h>

#if defined(__CUDA__) && __has_include(<__clang_cuda_texture_intrinsics.h>)
#include <__clang_cuda_texture_intrinsics.h>
#elif defined(KERNELSET_PROGRAM)
#include <kernelset/program/texture_references.h>
#else  // declared, never defined: a texture unit is not to be had elsewhere
template <typename... Arguments> __device__ void ks_fetch_texture(const char *operation, Arguments...);
#define __nv_tex_surf_handler ks_fetch_texture
#endif

#define KS_LIST(...) __VA_ARGS__
#define KS_TEXTURE(NAME, OPERATION, DIMENSIONS, PARAMETERS, ARGUMENTS)                                                 \
  template <typename T> KS_D T NAME(cudaTextureObject_t ks_object, KS_LIST PARAMETERS) {                               \
    T ks_value;                                                                                                        \
    __nv_tex_surf_handler(OPERATION, &ks_value, ks_object, KS_LIST ARGUMENTS);                                         \
    return ks_value;                                                                                                   \
  }                                                                                                                    \
  template <typename T> KS_D void NAME(T *ks_value, cudaTextureObject_t ks_object, KS_LIST PARAMETERS) {               \
    __nv_tex_surf_handler(OPERATION, ks_value, ks_object, KS_LIST ARGUMENTS);                                          \
  }                                                                                                                    \
  template <typename T, cudaTextureReadMode M>                                                                         \
  KS_D typename ks_fetched<T, M>::type NAME(texture<T, DIMENSIONS, M> ks_reference, KS_LIST PARAMETERS) {              \
    typename ks_fetched<T, M>::type ks_value;                                                                          \
    __nv_tex_surf_handler(OPERATION, &ks_value, ks_handle_of(ks_reference), KS_LIST ARGUMENTS);                   \
    return ks_value;                                                                                                   \
  }
KS_TEXTURE(tex1Dfetch, "__tex1Dfetch_v2", 1, (int x), (x))
KS_TEXTURE(tex1D, "__tex1D_v2", 1, (float x), (x))
KS_TEXTURE(tex1DLod, "__tex1DLod_v2", 1, (float x, float level), (x, level))
KS_TEXTURE(tex1DGrad, "__tex1DGrad_v2", 1, (float x, float dx, float dy), (x, dx, dy))
KS_TEXTURE(tex1DLayered, "__tex1DLayered_v2", 0xf1, (float x, int layer), (x, layer))
KS_TEXTURE(tex1DLayeredLod, "__tex1DLayeredLod_v2", 0xf1, (float x, int layer, float level), (x, layer, level))
KS_TEXTURE(tex1DLayeredGrad, "__tex1DLayeredGrad_v2", 0xf1, (float x, int layer, float dx, float dy), (x, layer, dx, dy))
KS_TEXTURE(tex2D, "__tex2D_v2", 2, (float x, float y), (x, y))
KS_TEXTURE(tex2DLod, "__tex2DLod_v2", 2, (float x, float y, float level), (x, y, level))
KS_TEXTURE(tex2DGrad, "__tex2DGrad_v2", 2, (float x, float y, float2 dx, float2 dy), (x, y, &dx, &dy))
KS_TEXTURE(tex2Dgather, "__tex2Dgather_v2", 2, (float x, float y, int component = 0), (x, y, component))
KS_TEXTURE(tex2DLayered, "__tex2DLayered_v2", 0xf2, (float x, float y, int layer), (x, y, layer))
KS_TEXTURE(tex2DLayeredLod, "__tex2DLayeredLod_v2", 0xf2, (float x, float y, int layer, float level), (x, y, layer, level))
KS_TEXTURE(tex2DLayeredGrad, "__tex2DLayeredGrad_v2", 0xf2, (float x, float y, int layer, float2 dx, float2 dy),
           (x, y, layer, &dx, &dy))
KS_TEXTURE(tex3D, "__tex3D_v2", 3, (float x, float y, float z), (x, y, z))
KS_TEXTURE(tex3DLod, "__tex3DLod_v2", 3, (float x, float y, float z, float level), (x, y, z, level))
KS_TEXTURE(tex3DGrad, "__tex3DGrad_v2", 3, (float x, float y, float z, float4 dx, float4 dy), (x, y, z, &dx, &dy))
KS_TEXTURE(texCubemap, "__texCubemap_v2", 0xc, (float x, float y, float z), (x, y, z))
KS_TEXTURE(texCubemapLod, "__texCubemapLod_v2", 0xc, (float x, float y, float z, float level), (x, y, z, level))
KS_TEXTURE(texCubemapLayered, "__texCubemapLayered_v2", 0xfc, (float x, float y, float z, int layer), (x, y, z, layer))
KS_TEXTURE(texCubemapLayeredLod, "__texCubemapLayeredLod_v2", 0xfc, (float x, float y, float z, int layer, float level),
           (x, y, z, layer, level))
#undef KS_TEXTURE
#undef KS_LIST
