// Arrays, textures and surfaces of a program, as its kernels see them: texels that a handle leads to.
// Rules: CUDA C++ Programming Guide, "Texture Functions", "Surface Functions" and "Texture Fetching".
#pragma once
#include <type_traits>

#include <kernelset/program/submit.h>

// rows and slices of elements, one behind the other
struct cudaArray {
  char* data;
  size_t width, height, depth;
  cudaChannelFormatDesc format;
  unsigned flags;
};

namespace kernelset {

// what a texture or surface object stands for
struct Texture {
  const char* data;
  size_t width, height, depth, row_bytes, slice_bytes;
  cudaChannelFormatDesc format;
  cudaTextureDesc how;
};
// which function fetches
struct TextureCall {
  int dimensions;
  bool is_fetch, is_layered, is_cube, is_gather;
};
struct Texel {
  double part[4];
};
constexpr bool has_word(const char* text, const char* word) {
  for (; *text; ++text) {
    int at = 0;
    while (word[at] && text[at] == word[at]) ++at;
    if (!word[at]) return true;
  }
  return false;
}
constexpr TextureCall call_of(const char* operation) {
  const bool is_cube = has_word(operation, "Cubemap");
  return {is_cube ? 3 : operation[5] - '0', has_word(operation, "fetch"), has_word(operation, "Layered"), is_cube,
          has_word(operation, "gather")};
}
KS_HIDDEN void fetch_texel(unsigned long long handle, TextureCall call, const float* at, int component, Texel& texel);
KS_HIDDEN char* surface_place(unsigned long long handle, long long byte, long long row, long long slice, size_t bytes, int mode);

KS_HD float coordinate_of(float value) { return value; }
KS_HD float coordinate_of(int value) { return static_cast<float>(value); }
KS_HD float coordinate_of(const void*) { return 0.0f; }
KS_HD int whole_of(float value) { return static_cast<int>(value); }
KS_HD int whole_of(int value) { return value; }
KS_HD int whole_of(const void*) { return 0; }

template <class T, class = void>
struct ScalarOf {
  using Type = T;
};
template <class T>
struct ScalarOf<T, std::void_t<decltype(T::x)>> {
  using Type = std::remove_reference_t<decltype(std::declval<T&>().x)>;
};
template <class T>
struct FormatOf {
  using Scalar = typename ScalarOf<T>::Type;
  static cudaChannelFormatDesc value() {
    constexpr int bits = 8 * sizeof(Scalar), count = sizeof(T) / sizeof(Scalar);
    constexpr bool is_real = !std::is_integral<Scalar>::value;
    return {bits, count > 1 ? bits : 0, count > 2 ? bits : 0, count > 3 ? bits : 0,
            is_real ? cudaChannelFormatKindFloat
                    : std::is_signed<Scalar>::value ? cudaChannelFormatKindSigned : cudaChannelFormatKindUnsigned};
  }
};

}  // namespace kernelset

// a whole number beyond 2^24 is no float: what a fetch from linear memory asks for goes by itself
template <class T, class... A>
KS_D void ks_fetch_texture(const char* operation, T* value, unsigned long long handle, A... arguments) {
  using Scalar = typename kernelset::ScalarOf<T>::Type;
  const kernelset::TextureCall call = kernelset::call_of(operation);
  float at[sizeof...(A) + 4] = {kernelset::coordinate_of(arguments)...};
  int component = 0;
  if (call.is_fetch || call.is_gather) {
    const int numbers[] = {kernelset::whole_of(arguments)...};
    component = numbers[sizeof...(A) - 1];
  }
  kernelset::Texel texel;
  kernelset::fetch_texel(handle, call, at, component, texel);
  for (size_t part = 0; part < sizeof(T) / sizeof(Scalar); ++part) {
    reinterpret_cast<Scalar*>(value)[part] = static_cast<Scalar>(texel.part[part]);
  }
}
#define __nv_tex_surf_handler ks_fetch_texture
