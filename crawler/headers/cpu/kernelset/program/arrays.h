// The calls of the runtime that make, fill and bind arrays, textures and surfaces.
// Rule: CUDA Runtime API, "Memory Management", "Texture Object Management", "Texture Reference Management".
#pragma once
#include <kernelset/program/textures.h>

namespace kernelset {

KS_HIDDEN cudaError_t make_array(cudaArray_t* array, const cudaChannelFormatDesc& format, cudaExtent extent, unsigned flags);
KS_HIDDEN cudaError_t drop_array(cudaArray_t array);
KS_HIDDEN cudaError_t copy_box(const cudaMemcpy3DParms& box);
KS_HIDDEN cudaError_t make_texture(unsigned long long* handle, const cudaResourceDesc& what, const cudaTextureDesc& how);
KS_HIDDEN cudaError_t drop_texture(unsigned long long handle);
KS_HIDDEN size_t texel_bytes(const cudaChannelFormatDesc& format);

// `bytes` of an array from a row on, which may go over its end into those below
KS_D cudaError_t copy_run(char* array_place, void* other, size_t bytes, bool to_array) {
  return to_array ? copy_memory(array_place, other, bytes) : copy_memory(other, array_place, bytes);
}
KS_D char* place_in(cudaArray_t array, size_t byte, size_t row) {
  return array->data + row * array->width * texel_bytes(array->format) + byte;
}
KS_D size_t row_bytes_of(cudaArray_t array) { return array->width * texel_bytes(array->format); }

}  // namespace kernelset

template <class T>
cudaChannelFormatDesc cudaCreateChannelDesc() {
  return kernelset::FormatOf<T>::value();
}
KS_D cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}
KS_D cudaPos make_cudaPos(size_t x, size_t y, size_t z) { return {x, y, z}; }
KS_D cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth) { return {width, height, depth}; }
KS_D cudaPitchedPtr make_cudaPitchedPtr(void* place, size_t pitch, size_t width, size_t height) {
  return {place, pitch, width, height};
}

KS_D cudaError_t cudaMalloc3D(cudaPitchedPtr* place, cudaExtent extent) {
  *place = {nullptr, 0, extent.width, extent.height};
  return cudaMallocPitch(&place->ptr, &place->pitch, extent.width, extent.height * extent.depth);
}
KS_D cudaError_t cudaMemset3D(cudaPitchedPtr place, int value, cudaExtent extent) {
  for (size_t row = 0; row < extent.height * extent.depth; ++row) {
    const size_t slice = row / extent.height;
    char* begin = static_cast<char*>(place.ptr) + (slice * place.ysize + row % extent.height) * place.pitch;
    const cudaError_t error = kernelset::set_memory(begin, value, extent.width);
    if (error) return error;
  }
  return cudaSuccess;
}
KS_D cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* format, size_t width, size_t height = 0,
                                 unsigned flags = 0) {
  return kernelset::make_array(array, *format, {width, height, 0}, flags);
}
KS_D cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* format, cudaExtent extent,
                                   unsigned flags = 0) {
  return kernelset::make_array(array, *format, extent, flags);
}
KS_D cudaError_t cudaFreeArray(cudaArray_t array) { return kernelset::drop_array(array); }
KS_D cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* format, const cudaArray* array) {
  *format = array->format;
  return cudaSuccess;
}
template <class... Rest>
KS_D cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t byte, size_t row, const void* from, size_t bytes, Rest&&...) {
  return kernelset::copy_memory(kernelset::place_in(to, byte, row), from, bytes);
}
template <class... Rest>
KS_D cudaError_t cudaMemcpyFromArray(void* to, cudaArray_t from, size_t byte, size_t row, size_t bytes, Rest&&...) {
  return kernelset::copy_memory(to, kernelset::place_in(from, byte, row), bytes);
}
template <class... Rest>
KS_D cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t byte, size_t row, const void* from, size_t pitch, size_t width,
                                     size_t height, Rest&&...) {
  return kernelset::copy_rows(kernelset::place_in(to, byte, row), kernelset::row_bytes_of(to), from, pitch, width, height);
}
template <class... Rest>
KS_D cudaError_t cudaMemcpy2DFromArray(void* to, size_t pitch, cudaArray_t from, size_t byte, size_t row, size_t width,
                                       size_t height, Rest&&...) {
  return kernelset::copy_rows(to, pitch, kernelset::place_in(from, byte, row), kernelset::row_bytes_of(from), width, height);
}
#define KS_ALSO(NAME, OTHER)                                     \
  template <class... Words>                                      \
  KS_D cudaError_t NAME(Words&&... words) {                      \
    return OTHER(static_cast<Words&&>(words)...);                \
  }
KS_ALSO(cudaMemcpyToArrayAsync, cudaMemcpyToArray) KS_ALSO(cudaMemcpyFromArrayAsync, cudaMemcpyFromArray)
KS_ALSO(cudaMemcpy2DToArrayAsync, cudaMemcpy2DToArray) KS_ALSO(cudaMemcpy2DFromArrayAsync, cudaMemcpy2DFromArray)
#undef KS_ALSO
KS_D cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* box) { return kernelset::copy_box(*box); }
template <class... Stream>
KS_D cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* box, Stream&&...) {
  return kernelset::copy_box(*box);
}

template <class... Views>
KS_D cudaError_t cudaCreateTextureObject(cudaTextureObject_t* object, const cudaResourceDesc* what, const cudaTextureDesc* how,
                                         Views&&...) {
  return kernelset::make_texture(object, *what, *how);
}
KS_D cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object) { return kernelset::drop_texture(object); }
KS_D cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* object, const cudaResourceDesc* what) {
  return kernelset::make_texture(object, *what, {});
}
KS_D cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object) { return kernelset::drop_texture(object); }
