// PyTorch's allocator on the device, as extensions call it. Its own header has a class of some fifty functions, which are
// others in each release.
// Rule: c10/cuda/CUDACachingAllocator.h of PyTorch, by interface.
#pragma once
#include <c10/core/Allocator.h>
#include <c10/cuda/CUDAStream.h>

#include <utility>

namespace c10 {
// whoever wants to be told that memory runs out is not: it does not
class FreeMemoryCallback {
 public:
  virtual ~FreeMemoryCallback() = default;
  virtual bool Execute() = 0;
};
namespace cuda::CUDACachingAllocator {

inline void* raw_alloc(size_t bytes) { return GetAllocator(kCUDA)->raw_allocate(bytes); }
inline void* raw_alloc_with_stream(size_t bytes, cudaStream_t) { return raw_alloc(bytes); }
inline void raw_delete(void* place) { GetAllocator(kCUDA)->raw_deallocate(place); }
template <class... Pool>
void emptyCache(const Pool&...) {}
inline void recordStream(const DataPtr&, CUDAStream) {}
inline void init(int) {}

class CUDAAllocator {
 public:
  DataPtr allocate(size_t bytes) { return GetAllocator(kCUDA)->allocate(bytes); }
  DeleterFnPtr raw_deleter() const { return GetAllocator(kCUDA)->raw_deleter(); }
  void* raw_alloc(size_t bytes) { return CUDACachingAllocator::raw_alloc(bytes); }
  void* raw_alloc_with_stream(size_t bytes, cudaStream_t) { return raw_alloc(bytes); }
  void raw_delete(void* place) { CUDACachingAllocator::raw_delete(place); }
  void recordStream(const DataPtr&, CUDAStream) {}
  template <class... Pool>
  void emptyCache(const Pool&...) {}
  operator Allocator*() const { return GetAllocator(kCUDA); }
  CUDAAllocator* operator->() { return this; }
};
inline CUDAAllocator get() { return {}; }

}  // namespace cuda::CUDACachingAllocator
}  // namespace c10
