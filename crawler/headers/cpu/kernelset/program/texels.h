// What arrays hold, and what a fetch makes of it.
// Rule: CUDA C++ Programming Guide, "Texture Fetching": a weight has eight bits behind the point.
#pragma once
#include <cmath>

KS_RUNTIME_BEGIN
namespace kernelset {

KS_HIDDEN size_t texel_bytes(const cudaChannelFormatDesc& format) {
  return static_cast<size_t>(format.x + format.y + format.z + format.w) / 8;
}
KS_HIDDEN cudaError_t make_array(cudaArray_t* array, const cudaChannelFormatDesc& format, cudaExtent extent, unsigned flags) {
  const size_t rows = extent.height ? extent.height : 1, slices = extent.depth ? extent.depth : 1;
  void* data = nullptr;
  const cudaError_t error = allocate_memory(&data, extent.width * rows * slices * texel_bytes(format), device_memory);
  if (error) return error;
  *array = new cudaArray{static_cast<char*>(data), extent.width, rows, slices, format, flags};
  return cudaSuccess;
}
KS_HIDDEN cudaError_t drop_array(cudaArray_t array) {
  if (!array) return cudaSuccess;
  const cudaError_t error = free_memory(array->data);
  delete array;
  return error;
}
// one side of a copy: where it begins, and the bytes from row to row and from slice to slice
struct BoxSide {
  char* begin;
  size_t row_bytes, slice_bytes;
};
static BoxSide side_of(cudaArray_t array, cudaPos at, const cudaPitchedPtr& linear, size_t rows) {
  if (!array) {
    const size_t slice = linear.pitch * (linear.ysize ? linear.ysize : rows);
    return {static_cast<char*>(linear.ptr) + at.z * slice + at.y * linear.pitch + at.x, linear.pitch, slice};
  }
  const size_t texel = texel_bytes(array->format), row = array->width * texel, slice = row * array->height;
  return {array->data + at.z * slice + at.y * row + at.x * texel, row, slice};
}
KS_HIDDEN cudaError_t copy_box(const cudaMemcpy3DParms& box) {
  const cudaArray_t array = box.srcArray ? box.srcArray : box.dstArray;
  // with an array, widths count its elements
  const size_t width = box.extent.width * (array ? texel_bytes(array->format) : 1);
  const size_t rows = box.extent.height ? box.extent.height : 1, slices = box.extent.depth ? box.extent.depth : 1;
  const BoxSide from = side_of(box.srcArray, box.srcPos, box.srcPtr, rows), to = side_of(box.dstArray, box.dstPos, box.dstPtr, rows);
  for (size_t slice = 0; slice < slices; ++slice) {
    for (size_t row = 0; row < rows; ++row) {
      const cudaError_t error = copy_memory(to.begin + slice * to.slice_bytes + row * to.row_bytes,
                                            from.begin + slice * from.slice_bytes + row * from.row_bytes, width);
      if (error) return error;
    }
  }
  return cudaSuccess;
}
KS_HIDDEN cudaError_t make_texture(unsigned long long* handle, const cudaResourceDesc& what, const cudaTextureDesc& how) {
  Texture own = {};
  own.how = how;
  own.height = own.depth = 1;
  if (what.resType == cudaResourceTypeArray && what.res.array.array) {
    const cudaArray& array = *what.res.array.array;
    own.data = array.data;
    own.format = array.format;
    own.width = array.width, own.height = array.height, own.depth = array.depth;
    own.row_bytes = array.width * texel_bytes(array.format);
  } else if (what.resType == cudaResourceTypeLinear) {
    own.data = static_cast<const char*>(what.res.linear.devPtr);
    own.format = what.res.linear.desc;
    const size_t texel = texel_bytes(own.format);
    if (!texel) return remember(cudaErrorInvalidValue);
    own.row_bytes = what.res.linear.sizeInBytes;
    const int number = allocation_at(own.data);
    // who binds without a size binds all that is there
    if (number >= 0) {
      const Allocation& memory = allocations()[number];
      own.row_bytes = std::min(own.row_bytes, static_cast<size_t>(memory.base + memory.size - own.data));
    }
    own.width = own.row_bytes / texel;
  } else if (what.resType == cudaResourceTypePitch2D) {
    own.data = static_cast<const char*>(what.res.pitch2D.devPtr);
    own.format = what.res.pitch2D.desc;
    own.width = what.res.pitch2D.width, own.height = what.res.pitch2D.height;
    own.row_bytes = what.res.pitch2D.pitchInBytes;
  } else {
    return refuse_call("cudaCreateTextureObject");
  }
  if (!own.data || !own.width || !own.height) return remember(cudaErrorInvalidValue);
  own.slice_bytes = own.row_bytes * own.height;
  *handle = reinterpret_cast<unsigned long long>(new Texture(own));
  return cudaSuccess;
}
KS_HIDDEN cudaError_t drop_texture(unsigned long long handle) {
  delete reinterpret_cast<Texture*>(handle);
  return cudaSuccess;
}

static double read_part(const char* place, int bits, const Texture& texture) {
  const bool is_normalized = texture.how.readMode == cudaReadModeNormalizedFloat;
  const bool is_signed = texture.format.f == cudaChannelFormatKindSigned;
  if (texture.format.f == cudaChannelFormatKindFloat) {
    return bits == 16 ? static_cast<double>(*reinterpret_cast<const _Float16*>(place))
                      : static_cast<double>(*reinterpret_cast<const float*>(place));
  }
  if (bits == 32) {
    return is_signed ? *reinterpret_cast<const int*>(place) : static_cast<double>(*reinterpret_cast<const unsigned*>(place));
  }
  const int value = bits == 8 ? (is_signed ? *reinterpret_cast<const signed char*>(place) : *reinterpret_cast<const unsigned char*>(place))
                              : (is_signed ? *reinterpret_cast<const short*>(place) : *reinterpret_cast<const unsigned short*>(place));
  if (!is_normalized) return value;
  const int most = (1 << (is_signed ? bits - 1 : bits)) - 1;
  return static_cast<float>(std::max(value, -most)) / static_cast<float>(most);
}
// the place of an index along one axis; -1 outside, where the border is
static long long index_at(long long index, size_t count, cudaTextureAddressMode mode, bool is_normalized) {
  const long long size = static_cast<long long>(count);
  if (index >= 0 && index < size) return index;
  if (mode == cudaAddressModeBorder) return -1;
  if (is_normalized && mode == cudaAddressModeWrap) return ((index % size) + size) % size;
  if (is_normalized && mode == cudaAddressModeMirror) {
    const long long within = ((index % (2 * size)) + 2 * size) % (2 * size);
    return within < size ? within : 2 * size - 1 - within;
  }
  return index < 0 ? 0 : size - 1;
}
static Texel read_texel(const Texture& texture, long long x, long long y, long long z) {
  Texel texel = {};
  const bool is_normalized = texture.how.normalizedCoords;
  x = index_at(x, texture.width, texture.how.addressMode[0], is_normalized);
  y = index_at(y, texture.height, texture.how.addressMode[1], is_normalized);
  if (x < 0 || y < 0 || z < 0) {
    for (int part = 0; part < 4; ++part) texel.part[part] = texture.how.borderColor[part];
    return texel;
  }
  const char* place = texture.data + z * texture.slice_bytes + y * texture.row_bytes + x * texel_bytes(texture.format);
  const int bits[] = {texture.format.x, texture.format.y, texture.format.z, texture.format.w};
  for (int part = 0; part < 4 && bits[part]; ++part) {
    texel.part[part] = read_part(place, bits[part], texture);
    place += bits[part] / 8;
  }
  return texel;
}
// which face of a cube a direction meets, and where on it
static int meet_cube(float* at) {
  const float x = at[0], y = at[1], z = at[2], ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z);
  float s, t, major;
  int face;
  if (ax >= ay && ax >= az) {
    face = x < 0, major = ax, s = x < 0 ? z : -z, t = -y;
  } else if (ay >= az) {
    face = 2 + (y < 0), major = ay, s = x, t = y < 0 ? -z : z;
  } else {
    face = 4 + (z < 0), major = az, s = z < 0 ? -x : x, t = -y;
  }
  at[0] = (s / major + 1) / 2;
  at[1] = (t / major + 1) / 2;
  return face;
}
// an axis that a fetch runs along: the index, and how much of the next one it takes
static long long split_axis(float at, size_t count, const Texture& texture, bool is_along, float& weight) {
  weight = 0;
  if (!is_along) return 0;
  if (texture.how.normalizedCoords) at *= static_cast<float>(count);
  if (texture.how.filterMode == cudaFilterModeLinear) {
    at -= 0.5f;
    weight = std::round((at - std::floor(at)) * 256.0f) / 256.0f;
  }
  return static_cast<long long>(std::floor(at));
}
KS_HIDDEN void fetch_texel(unsigned long long handle, TextureCall call, const float* from, int component, Texel& texel) {
  texel = {};
  if (!handle) return;
  const Texture& texture = *reinterpret_cast<const Texture*>(handle);
  if (call.is_fetch) {
    if (component >= 0 && static_cast<size_t>(component) < texture.width) texel = read_texel(texture, component, 0, 0);
    return;
  }
  float at[3] = {from[0], from[1], from[2]};
  const bool has_rows = call.dimensions > 1, has_slices = call.dimensions > 2 && !call.is_cube;
  const long long face = call.is_cube ? meet_cube(at) : 0;
  float wx, wy, wz;
  const long long x = split_axis(at[0], texture.width, texture, true, wx), y = split_axis(at[1], texture.height, texture, has_rows, wy);
  const long long z = split_axis(at[2], texture.depth, texture, has_slices, wz);
  const long long last = static_cast<long long>(texture.depth) - 1;
  const long long layer = call.is_layered ? std::lrint(from[call.dimensions]) * (call.is_cube ? 6 : 1) + face : face;
  if (call.is_gather) {
    const long long gx = std::floor(at[0] * (texture.how.normalizedCoords ? texture.width : 1) - 0.5f);
    const long long gy = std::floor(at[1] * (texture.how.normalizedCoords ? texture.height : 1) - 0.5f);
    const int steps[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
    for (int part = 0; part < 4; ++part) {
      texel.part[part] = read_texel(texture, gx + steps[part][0], gy + steps[part][1], 0).part[component & 3];
    }
    return;
  }
  for (int corner = 0; corner < 8; ++corner) {
    const int dx = corner & 1, dy = corner >> 1 & 1, dz = corner >> 2;
    const double weight = double(dx ? wx : 1 - wx) * (dy ? wy : 1 - wy) * (dz ? wz : 1 - wz);
    if (weight == 0) continue;
    const long long slice = has_slices ? index_at(z + dz, texture.depth, texture.how.addressMode[2], texture.how.normalizedCoords)
                                       : std::min(std::max(layer, 0ll), last);
    const Texel part = read_texel(texture, x + dx, y + dy, slice);
    for (int at_part = 0; at_part < 4; ++at_part) texel.part[at_part] += weight == 1 ? part.part[at_part] : weight * part.part[at_part];
  }
}
KS_HIDDEN char* surface_place(unsigned long long handle, long long byte, long long row, long long slice, size_t bytes, int mode) {
  const Texture* texture = reinterpret_cast<const Texture*>(handle);
  if (!texture) return nullptr;
  const long long width = static_cast<long long>(texture->width * texel_bytes(texture->format)) - static_cast<long long>(bytes);
  const long long rows = static_cast<long long>(texture->height) - 1, slices = static_cast<long long>(texture->depth) - 1;
  const bool is_inside = byte >= 0 && byte <= width && row >= 0 && row <= rows && slice >= 0 && slice <= slices;
  if (!is_inside && mode == cudaBoundaryModeZero) return nullptr;
  if (!is_inside && mode == cudaBoundaryModeTrap) find_and_end(Kind::trap);
  byte = std::min(std::max(byte, 0ll), width);
  row = std::min(std::max(row, 0ll), rows);
  slice = std::min(std::max(slice, 0ll), slices);
  return const_cast<char*>(texture->data) + slice * texture->slice_bytes + row * texture->row_bytes + byte;
}

}  // namespace kernelset
KS_RUNTIME_END
