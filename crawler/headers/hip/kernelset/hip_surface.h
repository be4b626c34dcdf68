// CUDA's reads of surfaces that return what they read: HIP has those alone that write it through a pointer.
// Rule: CUDA C++ Programming Guide, "Surface Functions".
#pragma once

#define KS_LIST(...) __VA_ARGS__
#define KS_SURFACE_READ(NAME, PARAMETERS, ARGUMENTS)                                                                   \
  template <typename T>                                                                                                \
  __device__ inline T NAME(hipSurfaceObject_t object, KS_LIST PARAMETERS, int mode = hipBoundaryModeTrap) {            \
    T value;                                                                                                           \
    NAME(&value, object, KS_LIST ARGUMENTS, mode);                                                                     \
    return value;                                                                                                      \
  }
KS_SURFACE_READ(surf1Dread, (int x), (x))
KS_SURFACE_READ(surf2Dread, (int x, int y), (x, y))
KS_SURFACE_READ(surf3Dread, (int x, int y, int z), (x, y, z))
KS_SURFACE_READ(surf1DLayeredread, (int x, int layer), (x, layer))
KS_SURFACE_READ(surf2DLayeredread, (int x, int y, int layer), (x, y, layer))
KS_SURFACE_READ(surfCubemapread, (int x, int y, int face), (x, y, face))
KS_SURFACE_READ(surfCubemapLayeredread, (int x, int y, int layerFace), (x, y, layerFace % 6, layerFace / 6))
#undef KS_SURFACE_READ
#undef KS_LIST
