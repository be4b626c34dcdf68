// A launch as a host program asks for it: `K<<<grid, block>>>(a, b)` becomes
// `kernelset::configure_launch(grid, block).start([&](auto& ks0, auto& ks1) { K(kernelset::pass(ks0), kernelset::pass(ks1)); }, a, b)`.
#pragma once
#include <cstring>
#include <type_traits>
#include <utility>

#include <kernelset/cpu/entry.h>

struct CUstream_st;

namespace kernelset {

struct Submission {
  dim3 grid, block;
  size_t shared_bytes;
  void (*threads)();
  char *statics_begin, *statics_end;  // of the library that the kernel is in
};
// runs the launch to its end
KS_HIDDEN void submit(const Submission& submission);
// how many launches there were, in how many of them something was wrong whatever memory held, and in how many of these threads
// raced for shared memory
KS_STATE unsigned finished_launches, faulty_launches, racing_launches;
// whether what goes wrong in the launch that runs now is so, whatever memory held, and no caller's memory was too small
KS_HIDDEN bool is_running_launch_faulty();
// whether a kernel read or wrote something of the allocation at `place`
KS_HIDDEN bool is_touched(const void* place);
// launches from here on are those of a test
KS_HIDDEN void begin_test(int number);
// Whether an address behind all memory counts as one behind the last of it. What a program of its own computes is meant; what
// is made up for a call may lead anywhere.
KS_STATE bool is_tail_owned = true;
// bytes that were asked for, and threads that were started
KS_STATE size_t allocated_bytes, started_threads;
// how many threads there may be until launches are refused, and whether one was
KS_STATE size_t most_started_threads = ~size_t(0);
KS_STATE bool is_launch_refused;
// memory that a caller gives a launcher, larger than what it needs: who leaves it asked for more than there can be
constexpr int caller_memory_kind = 3;
KS_STATE bool is_caller_memory_exceeded;
// whether what lies in front of such memory is nobody's: how much follows behind a pointer only its giver knows
KS_STATE bool is_front_closed;
// what is called before bytes of memory are copied
KS_STATE void (*before_copy)(const void* from, size_t bytes);
KS_STATE int entered_kernel = -1;
KS_STATE const char* entered_signature;
KS_STATE bool is_skipped;  // threads of the running launch end at once
// an argument as a thread has it
struct PassedArgument {
  const void* place;
  Parameter type;
};
KS_HIDDEN void note_entry(int kernel, const char* signature, const PassedArgument* arguments, unsigned count);
// whether a kernel may have its own copy: some types copy only from what they may change, `T(T&)`
template <class T>
constexpr bool is_copyable = std::is_constructible_v<T, T&>;
// Said by the first thread of a launch when it begins. It takes values: parameters whose addresses were taken would lie in
// memory for each thread, and be traced there.
template <class... P, std::enable_if_t<(is_copyable<P> && ...)>* = nullptr>
__attribute__((noinline)) void enter_kernel(int kernel, const char* signature, P... p) {
  const PassedArgument arguments[] = {{&p, Described<P>::parameter()}..., {}};
  note_entry(kernel, signature, arguments, sizeof...(P));
}
// what cannot be copied lies in memory anyway
template <class... P, std::enable_if_t<!(is_copyable<std::remove_cv_t<P>> && ...)>* = nullptr>
__attribute__((noinline)) void enter_kernel(int kernel, const char* signature, P&... p) {
  const PassedArgument arguments[] = {{&p, Described<std::remove_cv_t<P>>::parameter()}..., {}};
  note_entry(kernel, signature, arguments, sizeof...(P));
}

template <class Body>
struct Threads {
  static inline const Body* body;
  static void run() {
    const Body& call = *body;
    if (thread_order) return run_in_order(call);
    while (some_unstarted()) {
      while (upcoming_x < blockDim.x) {
        threadIdx.x = upcoming_x++;
        threadIdx.y = upcoming_y;
        threadIdx.z = upcoming_z;
        begin_thread();
        call();
      }
    }
  }
  static void run_in_order(const Body& call) {
    while (upcoming_rank < thread_count) {
      const unsigned rank = thread_order[upcoming_rank++];
      threadIdx.x = rank % blockDim.x;
      threadIdx.y = rank / blockDim.x % blockDim.y;
      threadIdx.z = rank / blockDim.x / blockDim.y;
      begin_thread();
      call();
    }
  }
};

// what a launch copies an argument from: itself, or, for whoever is not copied from what goes away, what holds it
template <class A>
using CopySource = std::conditional_t<std::is_constructible_v<std::decay_t<A>, A&&>, A&&, std::remove_reference_t<A>&>;
// An argument for one thread. What can only be moved is moved out of its bytes: a device has these for each thread, too.
template <class T>
struct ArgumentBytes {
  alignas(T) char bytes[sizeof(T)];
};
template <class T, std::enable_if_t<is_copyable<T>>* = nullptr>
T& pass(T& argument) {
  return argument;
}
template <class T, std::enable_if_t<!is_copyable<T>>* = nullptr>
T&& pass(T& argument, ArgumentBytes<T>&& place = {}) {
  std::memcpy(place.bytes, static_cast<const void*>(&argument), sizeof(T));
  return static_cast<T&&>(reinterpret_cast<T&>(place.bytes));
}

struct Configuration {
  dim3 grid, block;
  size_t shared_bytes;

  template <class Call, class... A>
  void start(const Call& call, A&&... arguments) const {
    start_with_copies<Call, std::decay_t<A>...>(call, static_cast<CopySource<A>>(arguments)...);
  }
  // a kernel has its own copy of what it is given, taken when it is launched
  template <class Call, class... T>
  void start_with_copies(const Call& call, T... copies) const {
    const auto body = [&] { call(copies...); };
    using Run = Threads<std::remove_cv_t<decltype(body)>>;
    Run::body = &body;
    submit({grid, block, shared_bytes, Run::run, __start_ks_shared, __stop_ks_shared});
  }
};
template <class Stream = CUstream_st*>
Configuration configure_launch(dim3 grid, dim3 block, size_t shared_bytes = 0, const Stream& = {}) {
  return {grid, block, shared_bytes};
}

// `cudaLaunchKernel(K, grid, block, arguments, …)`: the places of the arguments have the types of K's parameters
template <class... P, size_t... At>
void start_by_places(void (*kernel)(P...), const Configuration& configuration, void** places, std::index_sequence<At...>) {
  configuration.start([&](auto&... copies) { kernel(pass(copies)...); }, *static_cast<std::decay_t<P>*>(places[At])...);
}

}  // namespace kernelset
