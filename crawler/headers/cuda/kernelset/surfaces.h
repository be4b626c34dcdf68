// Surface objects and references in device code: PTX's own instructions, since clang 19 knows none of their functions.
// Rules: CUDA C++ Programming Guide 11, "Surface Functions"; PTX ISA, "suld" and "sust" (x counts bytes, a layer comes
// first, three coordinates are padded to four).
#pragma once
#include <kernelset/texture_types.h>

#ifdef KERNELSET_PROGRAM
#include <kernelset/program/surfaces.h>
#else

#ifdef __CUDA__
#define KS_ASM(...) asm volatile(__VA_ARGS__)
#else  // declared, never defined: a texture unit is not to be had elsewhere
__device__ void ks_access_surface();
#define KS_ASM(...) ks_access_surface()
#endif

#define KS_LIST(...) __VA_ARGS__
#define KS_STORE(SHAPE, AT, MODE, PLACES)                                                                              \
  switch (sizeof(T)) {                                                                                                 \
    case 1: KS_ASM("sust.b." SHAPE ".b8." MODE " [%[o], " AT "], {%[a]};" ::[a] "h"(ks_halves[0]), PLACES); break;     \
    case 2: KS_ASM("sust.b." SHAPE ".b16." MODE " [%[o], " AT "], {%[a]};" ::[a] "h"(ks_halves[0]), PLACES); break;    \
    case 4: KS_ASM("sust.b." SHAPE ".b32." MODE " [%[o], " AT "], {%[a]};" ::[a] "r"(ks_words[0]), PLACES); break;     \
    case 8:                                                                                                            \
      KS_ASM("sust.b." SHAPE ".v2.b32." MODE " [%[o], " AT "], {%[a], %[b]};" ::[a] "r"(ks_words[0]),                  \
             [b] "r"(ks_words[1]), PLACES);                                                                            \
      break;                                                                                                           \
    default:                                                                                                           \
      KS_ASM("sust.b." SHAPE ".v4.b32." MODE " [%[o], " AT "], {%[a], %[b], %[c], %[d]};" ::[a] "r"(ks_words[0]),      \
             [b] "r"(ks_words[1]), [c] "r"(ks_words[2]), [d] "r"(ks_words[3]), PLACES);                                \
  }
#define KS_LOAD(SHAPE, AT, MODE, PLACES)                                                                               \
  switch (sizeof(T)) {                                                                                                 \
    case 1: KS_ASM("suld.b." SHAPE ".b8." MODE " {%[a]}, [%[o], " AT "];" : [a] "=h"(ks_halves[0]) : PLACES); break;   \
    case 2: KS_ASM("suld.b." SHAPE ".b16." MODE " {%[a]}, [%[o], " AT "];" : [a] "=h"(ks_halves[0]) : PLACES); break;  \
    case 4: KS_ASM("suld.b." SHAPE ".b32." MODE " {%[a]}, [%[o], " AT "];" : [a] "=r"(ks_words[0]) : PLACES); break;   \
    case 8:                                                                                                            \
      KS_ASM("suld.b." SHAPE ".v2.b32." MODE " {%[a], %[b]}, [%[o], " AT "];"                                          \
             : [a] "=r"(ks_words[0]), [b] "=r"(ks_words[1]) : PLACES);                                                 \
      break;                                                                                                           \
    default:                                                                                                           \
      KS_ASM("suld.b." SHAPE ".v4.b32." MODE " {%[a], %[b], %[c], %[d]}, [%[o], " AT "];"                              \
             : [a] "=r"(ks_words[0]), [b] "=r"(ks_words[1]), [c] "=r"(ks_words[2]), [d] "=r"(ks_words[3]) : PLACES);   \
  }
#define KS_BY_MODE(ACCESS, SHAPE, AT, PLACES)                        \
  switch (mode) {                                                    \
    case cudaBoundaryModeZero: ACCESS(SHAPE, AT, "zero", KS_LIST PLACES); break;   \
    case cudaBoundaryModeClamp: ACCESS(SHAPE, AT, "clamp", KS_LIST PLACES); break; \
    default: ACCESS(SHAPE, AT, "trap", KS_LIST PLACES);                            \
  }
#define KS_SURFACE(NAME, DIMENSIONS, SHAPE, PARAMETERS, ARGUMENTS, AT, PLACES)                                         \
  template <typename T>                                                                                                \
  KS_D void NAME##write(T value, cudaSurfaceObject_t ks_object, KS_LIST PARAMETERS,                                    \
                        cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                                         \
    union { unsigned int ks_words[4]; unsigned short ks_halves[8]; };                                                  \
    __builtin_memcpy(ks_words, &value, sizeof(T));                                                                     \
    KS_BY_MODE(KS_STORE, SHAPE, AT, PLACES)                                                                            \
  }                                                                                                                    \
  template <typename T>                                                                                                \
  KS_D T NAME##read(cudaSurfaceObject_t ks_object, KS_LIST PARAMETERS,                                                 \
                    cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                                             \
    union { unsigned int ks_words[4]; unsigned short ks_halves[8]; };                                                  \
    KS_BY_MODE(KS_LOAD, SHAPE, AT, PLACES)                                                                             \
    T value;                                                                                                           \
    __builtin_memcpy(&value, ks_words, sizeof(T));                                                                     \
    return value;                                                                                                      \
  }                                                                                                                    \
  template <typename T>                                                                                                \
  KS_D void NAME##read(T *value, cudaSurfaceObject_t ks_object, KS_LIST PARAMETERS,                                    \
                       cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                                          \
    *value = NAME##read<T>(ks_object, KS_LIST ARGUMENTS, mode);                                                        \
  }                                                                                                                    \
  template <typename T>                                                                                                \
  KS_D void NAME##write(T value, surface<void, DIMENSIONS> reference, KS_LIST PARAMETERS,                              \
                        cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                                         \
    NAME##write(value, ks_handle_of(reference), KS_LIST ARGUMENTS, mode);                                         \
  }                                                                                                                    \
  template <typename T>                                                                                                \
  KS_D T NAME##read(surface<void, DIMENSIONS> reference, KS_LIST PARAMETERS,                                           \
                    cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                                             \
    return NAME##read<T>(ks_handle_of(reference), KS_LIST ARGUMENTS, mode);                                       \
  }                                                                                                                    \
  template <typename T>                                                                                                \
  KS_D void NAME##read(T *value, surface<void, DIMENSIONS> reference, KS_LIST PARAMETERS,                              \
                       cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                                          \
    *value = NAME##read<T>(ks_handle_of(reference), KS_LIST ARGUMENTS, mode);                                     \
  }
#define KS_OBJECT [o] "l"(ks_object)
KS_SURFACE(surf1D, 1, "1d", (int x), (x), "{%[x]}", (KS_OBJECT, [x] "r"(x)))
KS_SURFACE(surf2D, 2, "2d", (int x, int y), (x, y), "{%[x], %[y]}", (KS_OBJECT, [x] "r"(x), [y] "r"(y)))
KS_SURFACE(surf3D, 3, "3d", (int x, int y, int z), (x, y, z), "{%[x], %[y], %[z], %[z]}",
           (KS_OBJECT, [x] "r"(x), [y] "r"(y), [z] "r"(z)))
KS_SURFACE(surf1DLayered, 0xf1, "a1d", (int x, int layer), (x, layer), "{%[l], %[x]}", (KS_OBJECT, [x] "r"(x), [l] "r"(layer)))
#define KS_LAYERED "{%[l], %[x], %[y], %[y]}"
KS_SURFACE(surf2DLayered, 0xf2, "a2d", (int x, int y, int layer), (x, y, layer), KS_LAYERED,
           (KS_OBJECT, [x] "r"(x), [y] "r"(y), [l] "r"(layer)))
KS_SURFACE(surfCubemap, 0xc, "a2d", (int x, int y, int face), (x, y, face), KS_LAYERED,
           (KS_OBJECT, [x] "r"(x), [y] "r"(y), [l] "r"(face)))
KS_SURFACE(surfCubemapLayered, 0xfc, "a2d", (int x, int y, int layerFace), (x, y, layerFace), KS_LAYERED,
           (KS_OBJECT, [x] "r"(x), [y] "r"(y), [l] "r"(layerFace)))
#undef KS_LAYERED
#undef KS_OBJECT
#undef KS_SURFACE
#undef KS_BY_MODE
#undef KS_LOAD
#undef KS_STORE
#undef KS_LIST
#undef KS_ASM
#endif
