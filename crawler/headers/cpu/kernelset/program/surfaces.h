// Surfaces in device code of a program: x counts bytes, and the last coordinate may be a layer or a face.
// Rule: CUDA C++ Programming Guide, "Surface Functions".
#pragma once
#include <cstring>

#include <kernelset/program/textures.h>
#include <kernelset/texture_types.h>

#define KS_LIST(...) __VA_ARGS__
#define KS_SURFACE(NAME, DIMENSIONS, PARAMETERS, ARGUMENTS, X, Y, Z)                                                          \
  template <typename T>                                                                                                      \
  KS_D void NAME##write(T value, cudaSurfaceObject_t object, KS_LIST PARAMETERS,                                             \
                        cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                                               \
    char* place = kernelset::surface_place(object, X, Y, Z, sizeof(T), mode);                                                \
    if (place) *reinterpret_cast<T*>(place) = value;                                                                         \
  }                                                                                                                          \
  template <typename T>                                                                                                      \
  KS_D T NAME##read(cudaSurfaceObject_t object, KS_LIST PARAMETERS, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {   \
    const char* place = kernelset::surface_place(object, X, Y, Z, sizeof(T), mode);                                          \
    return place ? *reinterpret_cast<const T*>(place) : T{};                                                                 \
  }                                                                                                                          \
  template <typename T>                                                                                                      \
  KS_D void NAME##read(T* value, cudaSurfaceObject_t object, KS_LIST PARAMETERS,                                             \
                       cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                                                \
    *value = NAME##read<T>(object, KS_LIST ARGUMENTS, mode);                                                                 \
  }                                                                                                                          \
  template <typename T>                                                                                                      \
  KS_D void NAME##write(T value, const surface<void, DIMENSIONS>& reference, KS_LIST PARAMETERS,                             \
                        cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                                               \
    NAME##write(value, ks_handle_of(reference), KS_LIST ARGUMENTS, mode);                                                    \
  }                                                                                                                          \
  template <typename T>                                                                                                      \
  KS_D T NAME##read(const surface<void, DIMENSIONS>& reference, KS_LIST PARAMETERS,                                          \
                    cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                                                   \
    return NAME##read<T>(ks_handle_of(reference), KS_LIST ARGUMENTS, mode);                                                  \
  }                                                                                                                          \
  template <typename T>                                                                                                      \
  KS_D void NAME##read(T* value, const surface<void, DIMENSIONS>& reference, KS_LIST PARAMETERS,                             \
                       cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                                                \
    *value = NAME##read<T>(ks_handle_of(reference), KS_LIST ARGUMENTS, mode);                                                \
  }
KS_SURFACE(surf1D, 1, (int x), (x), x, 0, 0)
KS_SURFACE(surf2D, 2, (int x, int y), (x, y), x, y, 0)
KS_SURFACE(surf3D, 3, (int x, int y, int z), (x, y, z), x, y, z)
KS_SURFACE(surf1DLayered, 0xf1, (int x, int layer), (x, layer), x, 0, layer)
KS_SURFACE(surf2DLayered, 0xf2, (int x, int y, int layer), (x, y, layer), x, y, layer)
KS_SURFACE(surfCubemap, 0xc, (int x, int y, int face), (x, y, face), x, y, face)
KS_SURFACE(surfCubemapLayered, 0xfc, (int x, int y, int layerFace), (x, y, layerFace), x, y, layerFace)
#undef KS_SURFACE
#undef KS_LIST
