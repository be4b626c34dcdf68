// Binding texture and surface references, which CUDA 12 took away.
// Rule: CUDA 11's Runtime API, "Texture Reference Management" and "C++ API Routines".
#pragma once
#include <kernelset/program/arrays.h>
#include <kernelset/texture_types.h>

namespace kernelset {

template <class T, int dimensions, cudaTextureReadMode mode>
cudaError_t bind_reference(const texture<T, dimensions, mode>& reference, const cudaResourceDesc& what) {
  auto& own = const_cast<texture<T, dimensions, mode>&>(reference);
  cudaTextureDesc how = {};
  for (int axis = 0; axis < 3; ++axis) how.addressMode[axis] = own.addressMode[axis];
  how.filterMode = own.filterMode;
  how.readMode = mode;
  how.normalizedCoords = own.normalized;
  return make_texture(&own.ks_handle, what, how);
}
template <class Reference>
cudaError_t bind_linear(size_t* offset, const Reference& reference, const void* place, const cudaChannelFormatDesc& format,
                        size_t bytes) {
  if (offset) *offset = 0;
  cudaResourceDesc what = {};
  what.resType = cudaResourceTypeLinear;
  what.res.linear = {const_cast<void*>(place), format, bytes};
  return bind_reference(reference, what);
}
template <class Reference>
cudaError_t bind_plane(size_t* offset, const Reference& reference, const void* place, const cudaChannelFormatDesc& format,
                       size_t width, size_t height, size_t pitch) {
  if (offset) *offset = 0;
  cudaResourceDesc what = {};
  what.resType = cudaResourceTypePitch2D;
  what.res.pitch2D = {const_cast<void*>(place), format, width, height, pitch};
  return bind_reference(reference, what);
}
KS_D cudaResourceDesc resource_of(const cudaArray* array) {
  cudaResourceDesc what = {};
  what.resType = cudaResourceTypeArray;
  what.res.array.array = const_cast<cudaArray_t>(array);
  return what;
}

}  // namespace kernelset

template <class T, int D, cudaTextureReadMode M>
cudaError_t cudaBindTexture(size_t* offset, const texture<T, D, M>& reference, const void* place,
                            const cudaChannelFormatDesc& format, size_t bytes = ~0u) {
  return kernelset::bind_linear(offset, reference, place, format, bytes);
}
template <class T, int D, cudaTextureReadMode M>
cudaError_t cudaBindTexture(size_t* offset, const texture<T, D, M>& reference, const void* place, size_t bytes = ~0u) {
  return kernelset::bind_linear(offset, reference, place, cudaCreateChannelDesc<T>(), bytes);
}
template <class T, int D, cudaTextureReadMode M>
cudaError_t cudaBindTexture2D(size_t* offset, const texture<T, D, M>& reference, const void* place,
                              const cudaChannelFormatDesc& format, size_t width, size_t height, size_t pitch) {
  return kernelset::bind_plane(offset, reference, place, format, width, height, pitch);
}
template <class T, int D, cudaTextureReadMode M>
cudaError_t cudaBindTexture2D(size_t* offset, const texture<T, D, M>& reference, const void* place, size_t width, size_t height,
                              size_t pitch) {
  return kernelset::bind_plane(offset, reference, place, cudaCreateChannelDesc<T>(), width, height, pitch);
}
template <class T, int D, cudaTextureReadMode M, class... Format>
cudaError_t cudaBindTextureToArray(const texture<T, D, M>& reference, const cudaArray* array, Format&&...) {
  return kernelset::bind_reference(reference, kernelset::resource_of(array));
}
template <class T, int D, cudaTextureReadMode M>
cudaError_t cudaUnbindTexture(const texture<T, D, M>& reference) {
  return kernelset::drop_texture(reference.ks_handle);
}
template <int D, class... Format>
cudaError_t cudaBindSurfaceToArray(const surface<void, D>& reference, const cudaArray* array, Format&&...) {
  return kernelset::make_texture(&const_cast<surface<void, D>&>(reference).ks_handle, kernelset::resource_of(array), {});
}
