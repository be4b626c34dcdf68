// What the calls of the runtime do, and a launch.
#pragma once

KS_RUNTIME_BEGIN
KS_SELDOM_BEGIN
namespace kernelset {

static cudaError_t last_error = cudaSuccess;

KS_HIDDEN cudaError_t remember(cudaError_t error) {
  if (!error) return error;
  last_error = error;
  fprintf(launch_log(), "failed %d\n", int(error));
  return error;
}
KS_HIDDEN cudaError_t refuse_call(const char* name) {
  fprintf(launch_log(), "refused %s\n", name);
  return last_error = cudaErrorNotSupported;
}
KS_HIDDEN void* new_handle() {
  static size_t handles = 16;  // small numbers stand for streams of the runtime's own
  return reinterpret_cast<void*>(++handles);
}

KS_HIDDEN cudaError_t allocate_memory(void** place, size_t bytes, int kind) {
  if (!place) return remember(cudaErrorInvalidValue);
  *place = nullptr;
  if (!bytes) return cudaSuccess;
  allocated_bytes += bytes;
  *place = allocate(bytes, static_cast<MemoryKind>(kind));
  if (!*place) return remember(cudaErrorMemoryAllocation);
  // the host writes there as it likes
  if (kind != device_memory) allocations().back().host_writes.add(0, bytes);
  return cudaSuccess;
}
KS_HIDDEN cudaError_t free_memory(void* place) {
  if (!place) return cudaSuccess;
  const int number = allocation_at(place);
  if (!release(place)) return remember(cudaErrorInvalidValue);
  forget(allocations()[number]);
  return cudaSuccess;
}
// How many bytes from `place` a call may touch: what the host has is its own affair. A device refuses a call that asks for
// more; here it does what fits, and says so in the log, since a kernel that goes as far is what one wants to know of.
static size_t bytes_within(const void* place, size_t bytes) {
  const int number = allocation_at(place);
  if (number < 0) return bytes;
  const Allocation& own = allocations()[number];
  const char* first = static_cast<const char*>(place);
  const bool is_inside = !own.is_freed && first >= own.base && first <= own.base + own.size;
  const size_t inside_bytes = is_inside ? std::min(bytes, static_cast<size_t>(own.base + own.size - first)) : 0;
  if (inside_bytes < bytes && own.kind == MemoryKind::caller) is_caller_memory_exceeded = true;
  if (inside_bytes < bytes) fprintf(launch_log(), "failed %d\n", int(cudaErrorInvalidValue));
  return inside_bytes;
}
static bool is_written(const Allocation& own, size_t at) {
#ifdef KERNELSET_TRACE
  if (region_shadows.granules && shadow_at(own.base + at).written) return true;
#endif
  return own.host_writes.holds(at);
}
// what was written at `from` is written at `to` from now on
static void copy_knowledge(void* to, const void* from, size_t bytes) {
  const int source = allocation_at(from), target = allocation_at(to);
  const size_t begin = source < 0 ? 0 : static_cast<size_t>(static_cast<const char*>(from) - allocations()[source].base);
  size_t unwritten = 0;
  if (source >= 0 && !allocations()[source].host_writes.covers(begin, begin + bytes)) {
    for (size_t at = 0; at < bytes; ++at) unwritten += !is_written(allocations()[source], begin + at);
  }
  const bool is_hosts = target < 0 || allocations()[target].kind == MemoryKind::caller;
  if (is_hosts && unwritten) fprintf(launch_log(), "unwritten %zu\n", unwritten);
  if (target < 0) return;
  Allocation& own = allocations()[target];
  const size_t into = static_cast<size_t>(static_cast<char*>(to) - own.base);
  if (!unwritten) return own.host_writes.add(into, into + bytes);
  for (size_t at = 0; at < bytes; ++at) {
    if (is_written(allocations()[source], begin + at)) own.host_writes.add(into + at, into + at + 1);
  }
}
KS_HIDDEN cudaError_t copy_memory(void* to, const void* from, size_t bytes) {
  if (!bytes) return cudaSuccess;
  if (!to || !from) return remember(cudaErrorInvalidValue);
  if (before_copy) before_copy(from, bytes);
  bytes = std::min(bytes_within(to, bytes), bytes_within(from, bytes));
  copy_knowledge(to, from, bytes);
  memmove(to, from, bytes);
  return cudaSuccess;
}
KS_HIDDEN cudaError_t copy_rows(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height) {
  if (width > to_pitch || width > from_pitch) return remember(cudaErrorInvalidPitchValue);
  for (size_t row = 0; row < height; ++row) {
    const cudaError_t error =
        copy_memory(static_cast<char*>(to) + row * to_pitch, static_cast<const char*>(from) + row * from_pitch, width);
    if (error) return error;
  }
  return cudaSuccess;
}
KS_HIDDEN cudaError_t set_memory(void* to, int value, size_t bytes) {
  if (!bytes) return cudaSuccess;
  const int number = allocation_at(to);
  if (number < 0) {  // a variable of the device, by its address
    memset(to, value, bytes);
    return cudaSuccess;
  }
  bytes = bytes_within(to, bytes);
  const size_t into = static_cast<size_t>(static_cast<char*>(to) - allocations()[number].base);
  allocations()[number].host_writes.add(into, into + bytes);
  memset(to, value, bytes);
  return cudaSuccess;
}
KS_HIDDEN cudaError_t describe_pointer(cudaPointerAttributes* attributes, const void* place) {
  *attributes = {};
  const int number = allocation_at(place);
  if (number < 0) return cudaSuccess;
  static const cudaMemoryType types[] = {cudaMemoryTypeDevice, cudaMemoryTypeManaged, cudaMemoryTypeHost, cudaMemoryTypeDevice};
  attributes->type = types[int(allocations()[number].kind)];
  attributes->devicePointer = const_cast<void*>(place);
  if (allocations()[number].kind != MemoryKind::device) attributes->hostPointer = const_cast<void*>(place);
  return cudaSuccess;
}
// a small device of compute capability 8.0: grids that fill it are soon done
// Rule: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".
KS_HIDDEN cudaError_t describe_device(cudaDeviceProp* properties) {
  *properties = {};
  strcpy(properties->name, "Kernelset CPU model");
  strcpy(properties->gcnArchName, "gfx90a");
  properties->totalGlobalMem = size_t(2) << 30;
  properties->sharedMemPerBlock = 48 << 10;
  properties->sharedMemPerBlockOptin = 163 << 10;
  properties->sharedMemPerMultiprocessor = 164 << 10;
  properties->regsPerBlock = 65536;
  properties->warpSize = warpSize;
  properties->maxThreadsPerBlock = most_threads;
  properties->maxThreadsDim[0] = properties->maxThreadsDim[1] = 1024;
  properties->maxThreadsDim[2] = 64;
  properties->maxGridSize[0] = 2147483647;
  properties->maxGridSize[1] = properties->maxGridSize[2] = 65535;
  properties->clockRate = 1410000;
  properties->memoryClockRate = 1215000;
  properties->memoryBusWidth = 5120;
  properties->major = 8;
  properties->multiProcessorCount = 4;
  properties->maxThreadsPerMultiProcessor = 2048;
  properties->maxBlocksPerMultiProcessor = 32;
  properties->l2CacheSize = 40 << 20;
  properties->totalConstMem = 64 << 10;
  properties->cooperativeLaunch = properties->concurrentKernels = properties->canMapHostMemory = 1;
  properties->managedMemory = properties->concurrentManagedAccess = properties->unifiedAddressing = 1;
  properties->deviceOverlap = properties->streamPrioritiesSupported = properties->computePreemptionSupported = 1;
  properties->globalL1CacheSupported = properties->localL1CacheSupported = 1;
  properties->asyncEngineCount = 2;
  properties->regsPerMultiprocessor = 65536;
  properties->memPitch = 2147483647;
  properties->textureAlignment = properties->surfaceAlignment = 512;
  properties->texturePitchAlignment = 32;
  properties->maxTexture1D = properties->maxTexture2D[0] = properties->maxSurface2D[0] = 131072;
  properties->maxTexture1DLinear = 268435456;
  properties->maxTexture2D[1] = properties->maxSurface2D[1] = 65536;
  properties->maxTexture2DLinear[0] = 131072, properties->maxTexture2DLinear[1] = 65000, properties->maxTexture2DLinear[2] = 2097120;
  properties->maxTexture3D[0] = properties->maxTexture3D[1] = properties->maxTexture3D[2] = 16384;
  properties->maxSurface1D = 32768;
  return cudaSuccess;
}
KS_HIDDEN int device_attribute(int attribute) {
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock: case cudaDevAttrMaxBlockDimX: case cudaDevAttrMaxBlockDimY: return most_threads;
    case cudaDevAttrMaxBlockDimZ: return 64;
    case cudaDevAttrMaxGridDimX: return 2147483647;
    case cudaDevAttrMaxGridDimY: case cudaDevAttrMaxGridDimZ: return 65535;
    case cudaDevAttrMaxSharedMemoryPerBlock: return 48 << 10;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: return 163 << 10;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor: return 164 << 10;
    case cudaDevAttrTotalConstantMemory: return 64 << 10;
    case cudaDevAttrWarpSize: return warpSize;
    case cudaDevAttrMaxRegistersPerBlock: case cudaDevAttrMaxRegistersPerMultiprocessor: return 65536;
    case cudaDevAttrMultiProcessorCount: return 4;
    case cudaDevAttrMaxThreadsPerMultiProcessor: return 2048;
    case cudaDevAttrComputeCapabilityMajor: return 8;
    case cudaDevAttrComputeCapabilityMinor: return 0;
    case cudaDevAttrL2CacheSize: return 40 << 20;
    case cudaDevAttrMaxBlocksPerMultiprocessor: return 32;
    case cudaDevAttrClockRate: return 1410000;
    case cudaDevAttrMemoryClockRate: return 1215000;
    case cudaDevAttrGlobalMemoryBusWidth: return 5120;
    case cudaDevAttrCooperativeLaunch: case cudaDevAttrConcurrentKernels: case cudaDevAttrCanMapHostMemory:
    case cudaDevAttrUnifiedAddressing: case cudaDevAttrManagedMemory: case cudaDevAttrConcurrentManagedAccess: return 1;
    default: return 0;
  }
}

static Order thread_orders() {
  const char* order = getenv("KERNELSET_ORDER");
  return order ? static_cast<Order>(atoi(order) % 3) : Order::forward;
}
// shared memory of a launch ends where nothing may be touched
static bool place_shared_of_launch(size_t bytes) {
  static char* end;
  if (!end) {
    void* place = mmap(nullptr, most_dynamic + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (place == MAP_FAILED) return false;
    end = static_cast<char*>(place) + most_dynamic;
    mprotect(end, page, PROT_NONE);
  }
  dynamic_shared = end - round_up(bytes, 16);
  dynamic_bytes = bytes;
  return true;
}
KS_HIDDEN void note_entry(int kernel, const char* signature, const PassedArgument* arguments, unsigned count) {
  entered_kernel = kernel;
  entered_signature = signature;
  entered_instance = number_instance(kernel, signature);
  is_skipped = is_meant(skip_target());
  begin_record(arguments, count);
}
static bool is_launchable(const Submission& submission) {
  const size_t threads = size_t(submission.block.x) * submission.block.y * submission.block.z;
  const bool any = submission.grid.x && submission.grid.y && submission.grid.z && threads;
  const bool fits = submission.grid.x <= 2147483647u && submission.grid.y <= 65535 && submission.grid.z <= 65535;
  return any && fits && threads <= most_threads && submission.block.z <= 64 && submission.shared_bytes <= most_dynamic;
}
// A high bit of each fourth byte that a launch has written in the upper half of a buffer becomes another: whoever looks at
// its results sees so.
static void spoil_results(unsigned began) {
#ifdef KERNELSET_TRACE
  for (const int number : written_allocations) {
    const Allocation& own = allocations()[number];
    for (size_t at = own.write_first + (own.write_end - own.write_first) / 2; at < own.write_end; ++at) {
      const Shadow& shadow = shadow_at(own.base + at);
      const bool is_own = shadow.written && shadow.written_at >= began;
      if (is_own && (at % 4 == 3 || own.write_end - own.write_first < 4)) own.base[at] ^= 0x40;
    }
  }
#endif
}
static bool has_certain_fault(const Report& outcome) {
  constexpr Kind certain[] = {Kind::divergent_barrier, Kind::divergent_warp, Kind::excluded_caller, Kind::deadlock,
                              Kind::out_of_bounds, Kind::race, Kind::divide_by_zero, Kind::array_bounds, Kind::misaligned,
                              Kind::assertion, Kind::trap};
  return std::any_of(std::begin(certain), std::end(certain),
                     [&](Kind kind) { return outcome.findings[unsigned(kind)].times > 0; });
}
static bool has_shared_race(const Report& outcome) {
  const Finding& race = outcome.findings[unsigned(Kind::race)];
  return race.times && race.buffer == -2;
}
static bool leaves_caller_memory(const Report& outcome) {
  const Finding& finding = outcome.findings[unsigned(Kind::out_of_bounds)];
  if (!finding.times || finding.buffer < 0 || (is_front_closed && finding.offset < 0)) return false;
  return allocations()[finding.buffer].kind == MemoryKind::caller;
}
KS_HIDDEN bool is_running_launch_faulty() {
  return is_in_kernel && has_certain_fault(launch_report) && !leaves_caller_memory(launch_report);
}
KS_HIDDEN bool is_touched(const void* place) {
  const int number = allocation_at(place);
  return number >= 0 && allocations()[number].is_touched;
}
KS_HIDDEN void begin_test(int number) {
  running_test = number;
  fprintf(launch_log(), "test %d\n", number);
  fflush(launch_log());
}
KS_HIDDEN void submit(const Submission& submission) {
  if (is_in_kernel) find_and_end(Kind::unsupported);
#ifdef KERNELSET_LIBRARY
  statics_begin = submission.statics_begin;
  statics_end = submission.statics_end;
#endif
  ++launches_begun;
  started_threads += size_t(submission.grid.x) * submission.grid.y * submission.grid.z * submission.block.x *
                     submission.block.y * submission.block.z;
  entered_kernel = -1;
  is_skipped = false;
  entered_instance = 0;
  is_launch_refused |= started_threads > most_started_threads;
  if (is_launch_refused || !is_launchable(submission)) {
    remember(cudaErrorInvalidConfiguration);
    return;
  }
  memset(&launch_report, 0, sizeof(launch_report));
  report = &launch_report;
  // what a thread tried in an earlier launch is no sign that it waits in this one
  tries = rounds = 0;
  if (!place_shared_of_launch(submission.shared_bytes)) find_and_end(Kind::unsupported);
  begin_trace(size_t(submission.grid.x) * submission.grid.y * submission.grid.z);
  const unsigned began = barrier_epoch;
  launch_began = processor_time();
  const Entry entry = {submission.threads, nullptr, 0, nullptr};
  is_in_kernel = true;
  run_grid({&entry, submission.grid, submission.block, submission.shared_bytes, thread_orders(), launches_begun});
  is_in_kernel = false;
  if (entered_kernel >= 0 && is_meant(spoil_target())) spoil_results(began);
  log_launch();
  log_findings();
  log_contents(began);
  log_end();
  ++finished_launches;
  const bool is_faulty = has_certain_fault(launch_report);
  faulty_launches += is_faulty;
  racing_launches += has_shared_race(launch_report);
  end_record(launch_report.finished && !is_faulty, processor_time() - launch_began);
  is_caller_memory_exceeded |= leaves_caller_memory(launch_report);
}

}  // namespace kernelset

KS_HIDDEN cudaError_t cudaPeekAtLastError() { return kernelset::last_error; }
KS_HIDDEN cudaError_t cudaGetLastError() {
  const cudaError_t error = kernelset::last_error;
  kernelset::last_error = cudaSuccess;
  return error;
}
KS_HIDDEN const char* cudaGetErrorName(cudaError_t error) {
#define KS_ENUM_VALUE(NAME) case NAME: return #NAME;
  switch (error) {
    KS_ENUM_VALUE(cudaSuccess) KS_ENUM_VALUE(cudaErrorInvalidValue) KS_ENUM_VALUE(cudaErrorMemoryAllocation)
    KS_ENUM_VALUE(cudaErrorInvalidConfiguration) KS_ENUM_VALUE(cudaErrorInvalidPitchValue)
    KS_ENUM_VALUE(cudaErrorInvalidDevice) KS_ENUM_VALUE(cudaErrorNotSupported)
    default: return "cudaErrorUnknown";
  }
#undef KS_ENUM_VALUE
}
KS_HIDDEN const char* cudaGetErrorString(cudaError_t error) { return error ? cudaGetErrorName(error) : "no error"; }
KS_SELDOM_END
KS_RUNTIME_END
