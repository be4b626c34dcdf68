// Texture and surface references, which CUDA 12 took away. The attributes make a device's variable a handle.
// Rule: CUDA 11's texture_types.h and surface_types.h.
#pragma once
#include <kernelset/runtime.h>

struct textureReference {
  int normalized;
  cudaTextureFilterMode filterMode;
  cudaTextureAddressMode addressMode[3];
  cudaChannelFormatDesc channelDesc;
  int sRGB;
  unsigned int maxAnisotropy;
  cudaTextureFilterMode mipmapFilterMode;
  float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
  int disableTrilinearOptimization;
#ifdef KERNELSET_PROGRAM
  unsigned long long ks_handle;  // of what it is bound to
#endif
};
struct surfaceReference {
  cudaChannelFormatDesc channelDesc;
#ifdef KERNELSET_PROGRAM
  unsigned long long ks_handle;
#endif
};

#ifdef __CUDA__
#define KS_REFERENCE(KIND) __attribute__((device_builtin_##KIND##_type))
#else
#define KS_REFERENCE(KIND)
#endif
#ifdef KERNELSET_PROGRAM
#define KS_MADE(...) : textureReference() { __VA_ARGS__ }
#define KS_UNBOUND : surfaceReference() {}
#else
#define KS_MADE(...) ;
#define KS_UNBOUND ;
#endif
template <typename T, int dimensions = 1, cudaTextureReadMode mode = cudaReadModeElementType>
struct KS_REFERENCE(texture) texture : textureReference {
  texture(int normalized = 0, cudaTextureFilterMode filter = cudaFilterModePoint,
          cudaTextureAddressMode address = cudaAddressModeClamp)
      KS_MADE(set(normalized, filter, address);)
  texture(int normalized, cudaTextureFilterMode filter, cudaTextureAddressMode address, cudaChannelFormatDesc channels)
      KS_MADE(set(normalized, filter, address); channelDesc = channels;)
#ifdef KERNELSET_PROGRAM
  void set(int is_normalized, cudaTextureFilterMode filter, cudaTextureAddressMode address) {
    normalized = is_normalized;
    filterMode = filter;
    addressMode[0] = addressMode[1] = addressMode[2] = address;
  }
#endif
};
template <typename T, int dimensions = 1> struct KS_REFERENCE(surface) surface;
template <int dimensions> struct KS_REFERENCE(surface) surface<void, dimensions> : surfaceReference { surface() KS_UNBOUND };
#undef KS_UNBOUND
#undef KS_MADE
#undef KS_REFERENCE

// The object that a reference stands for.
#ifdef KERNELSET_PROGRAM
template <typename Reference> KS_D unsigned long long ks_handle_of(const Reference &reference) { return reference.ks_handle; }
#else
template <typename Reference> KS_D unsigned long long ks_handle_of(Reference reference) {
  unsigned long long handle = 0;
#ifdef __CUDA__
  asm("mov.b64 %0, %1;" : "=l"(handle) : "l"(reference));  // what clang makes of a reference is its handle
#endif
  return handle;
}
#endif

// What a fetch through a reference gives: the element, or a float for each of its components.
template <typename T, cudaTextureReadMode mode> struct ks_fetched { typedef T type; };
#define KS_NORMALIZED(SCALAR, VECTOR)                                                              \
  template <> struct ks_fetched<SCALAR, cudaReadModeNormalizedFloat> { typedef float type; };      \
  template <> struct ks_fetched<VECTOR##1, cudaReadModeNormalizedFloat> { typedef float1 type; };  \
  template <> struct ks_fetched<VECTOR##2, cudaReadModeNormalizedFloat> { typedef float2 type; };  \
  template <> struct ks_fetched<VECTOR##4, cudaReadModeNormalizedFloat> { typedef float4 type; };
template <> struct ks_fetched<char, cudaReadModeNormalizedFloat> { typedef float type; };
KS_NORMALIZED(signed char, char)
KS_NORMALIZED(unsigned char, uchar)
KS_NORMALIZED(short, short)
KS_NORMALIZED(unsigned short, ushort)
#undef KS_NORMALIZED
