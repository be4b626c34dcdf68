// What a kernel is to the program that runs it: its parameters, and its threads one after another.
#pragma once
#include <utility>

#include <kernelset/cpu/rubbish.h>

namespace kernelset {

#ifdef KERNELSET_SOIL
// where a thread's locals will lie there is rubbish, another one in each launch
KS_STATE unsigned soil_round;
constexpr size_t soil_words = 4096;
static __attribute__((noinline)) void soil_stack() {
  volatile unsigned words[soil_words];
  for (size_t at = 0; at < soil_words; ++at) words[at] = rubbish_word(at, soil_round);
}
KS_D void begin_thread() { soil_stack(); }
#elif defined(KERNELSET_TRACE) || defined(KERNELSET_STEPS)
// the instrumentation comes after all else: nobody could know before that it reads this
KS_D void begin_thread() { __asm__ volatile("" : : "r"(&threadIdx), "r"(&blockIdx) : "memory"); }
#else
KS_D void begin_thread() {}
#endif

KS_STATE void* arguments[256];

struct Parameter {
  char kind;  // p pointer, b bool, s signed, u unsigned, f floating, e enumeration, c class
  unsigned size, align;
  char pointee;  // the same for what it points at; v for void, 0 for no pointer
  unsigned pointee_size;
  bool pointee_const;
  const char* type;  // within the name of a function that has it as its argument
};
// how a parameter of a kernel comes about: it is given, or made of what its constructor takes
struct Making {
  unsigned first, count;  // among what the entry takes
  unsigned size;          // of a structure that is made; 0 of what is given
  const char* names;      // of what the constructor takes, with blanks between
};
struct Entry {
  void (*threads)();
  const Parameter* parameters;
  unsigned count;
  void (*const* members)();  // of each parameter: prints what a structure holds
  const Making* makings = nullptr;
  unsigned making_count = 0;
  void (*make)(char* place) = nullptr;  // turns what the entry takes into the kernel's arguments; at `place` it makes them
};

template <class T>
constexpr char kind_of() {
  if (std::is_void<T>::value) return 'v';
  if (std::is_pointer<T>::value) return 'p';
  if (std::is_same<std::remove_cv_t<T>, bool>::value) return 'b';
  if (std::is_floating_point<T>::value) return 'f';
  if (std::is_enum<T>::value) return 'e';
  if (std::is_integral<T>::value) return std::is_signed<T>::value ? 's' : 'u';
  return 'c';
}
template <class T, class = void>
struct Size {
  static constexpr unsigned value = 0;
};
template <class T>
struct Size<T, std::enable_if_t<(sizeof(T) > 0) && !std::is_function<T>::value>> {
  static constexpr unsigned value = sizeof(T);
};
template <class T>
constexpr const char* name_of() {
  return __PRETTY_FUNCTION__;
}
template <class T>
struct Unrestricted {
  using type = T;
};
template <class T>
struct Unrestricted<T* __restrict> {
  using type = T*;
};
template <class T>
struct Described {
  using Plain = typename Unrestricted<std::remove_cv_t<std::remove_reference_t<T>>>::type;
  using Pointee = std::remove_pointer_t<Plain>;
  static constexpr bool points = std::is_pointer<Plain>::value;
  static constexpr Parameter parameter() {
    return {kind_of<Plain>(),
            sizeof(Plain),
            alignof(Plain),
            points ? kind_of<Pointee>() : char(0),
            points ? Size<Pointee>::value : 0,
            points && std::is_const<Pointee>::value,
            name_of<Plain>()};
  }
};

// what a structure holds, leaf by leaf: the compiler walks it and calls this with each one's type, name and place
struct Members {
  const char* base;
  size_t size;
  const char* word = "member";
  static constexpr int deepest = 16;
  static inline const char* path[deepest];
  static inline int depth;

  static void enter(const char* name) {
    if (depth < deepest) path[depth] = name;
    ++depth;
  }
  template <class... A>
  void operator()(const char* format, const A&... names) const {
    if constexpr (sizeof...(A) == 4) leaf(names...);
    if constexpr (sizeof...(A) == 3) enter(last(names...));
    if constexpr (sizeof...(A) == 2) enter("");
    if constexpr (sizeof...(A) == 1) depth -= format[2] == '}';
  }
  static const char* last(const char*, const char*, const char* name) { return name; }
  template <class T>
  void leaf(const char*, const char*, const char* name, const T& member) const {
    using Target = std::remove_pointer_t<T>;
    if constexpr (std::is_pointer<T>::value && (std::is_array<Target>::value || std::is_class<Target>::value)) {
      // a temporary: the address of what lies in the structure
      if (!holds((const char*)&member)) return say<std::remove_cv_t<Target>>(name, (const char*)member);
    }
    say<T>(name, (const char*)&member);
  }
  bool holds(const char* place) const { return place >= base && place < base + size; }
  template <class T>
  void say(const char* name, const char* place) const {
    if constexpr (Size<T>::value != 0) {
      using Leaf = std::remove_all_extents_t<T>;
      if (!holds(place)) return;
      const Parameter p = Described<Leaf>::parameter();
      printf("%s %zu %zu ", word, size_t(place - base), sizeof(T) / sizeof(Leaf));
      for (int at = 0; at < depth && at < deepest; ++at) printf(*path[at] ? "%s." : "%s", path[at]);
      printf("%s %c %u %u %c %u %d %s\n", name, p.kind, p.size, p.align, p.pointee ? p.pointee : '-', p.pointee_size,
             p.pointee_const, p.type);
      if constexpr (std::is_class<Leaf>::value) {
        for (size_t at = 0; at < sizeof(T) / sizeof(Leaf) && at < 8; ++at) {
          enter(name);
          walk<Leaf>(place + at * sizeof(Leaf));
          --depth;
        }
      }
    }
  }
  template <class T>
  void walk(const char* place) const {
#if defined(__clang__)
    if constexpr (!std::is_union<T>::value && !std::is_empty<T>::value) {
      __builtin_dump_struct(reinterpret_cast<T*>(const_cast<char*>(place)), *this);
    }
#endif
  }
};
template <class T>
static void walk_all(const char* word) {
  alignas(T) static char place[sizeof(T)];
  Members{place, sizeof(T), word}.template walk<T>(place);
}
// what is no longer than a vector of ours is numbers alike
constexpr size_t longest_vector = 16;
template <class T>
static void members_of() {
#ifndef KERNELSET_UNDESCRIBED
  using Plain = std::remove_cv_t<std::remove_reference_t<T>>;
  using Pointee = std::remove_cv_t<std::remove_pointer_t<Plain>>;
  if constexpr (std::is_class<Plain>::value) walk_all<Plain>("member");
  else if constexpr (std::is_class<Pointee>::value && Size<Pointee>::value > longest_vector) walk_all<Pointee>("beyond");
#endif
}

// A class with virtual functions is handed over as its bytes, for each thread anew: its table and its constructors are
// the host's, and a unit has none of them. It goes by its address, as each class does that is no plain data.
// Rule: Itanium C++ ABI, "Non-Trivial Parameters".
template <class T, bool = std::is_polymorphic<T>::value>
struct Passed {
  using Held = T;
  using Given = T;
};
template <class T>
struct Passed<T, true> {
  struct alignas(T) Held {
    char bytes[sizeof(T)];
  };
  using Given = Held&;
};

template <auto Kernel>
struct Call;
template <class... P, void (*Kernel)(P...)>
struct Call<Kernel> {
  static_assert(sizeof...(P) <= sizeof(arguments) / sizeof(*arguments));
  static void threads() { spread(std::index_sequence_for<P...>()); }
  template <size_t... At>
  static void spread(std::index_sequence<At...>) {
    run(*static_cast<typename Passed<std::remove_reference_t<P>>::Held*>(arguments[At])...);
  }
  // threads as they are numbered: what never waits is a plain loop that may be vectorised
  static void run(typename Passed<P>::Held... p) {
    if (thread_order) return run_in_order(p...);
    while (some_unstarted()) {
      while (upcoming_x < blockDim.x) {
        threadIdx.x = upcoming_x++;
        threadIdx.y = upcoming_y;
        threadIdx.z = upcoming_z;
        begin_thread();
        if constexpr ((std::is_polymorphic<P>::value || ...)) {
          as_bytes(p...);
        } else {
#if defined(__clang__) && !defined(KERNELSET_SOIL)
          [[clang::always_inline]]
#endif
          Kernel(p...);
        }
      }
    }
  }
  static void run_in_order(typename Passed<P>::Held... p) {
    while (upcoming_rank < thread_count) {
      const unsigned rank = thread_order[upcoming_rank++];
      threadIdx.x = rank % blockDim.x;
      threadIdx.y = rank / blockDim.x % blockDim.y;
      threadIdx.z = rank / blockDim.x / blockDim.y;
      begin_thread();
      if constexpr ((std::is_polymorphic<P>::value || ...)) as_bytes(p...);
      else Kernel(p...);
    }
  }
  static void as_bytes(typename Passed<P>::Held... p) {
    reinterpret_cast<void (*)(typename Passed<P>::Given...)>(Kernel)(p...);
  }
  static constexpr Parameter parameters[sizeof...(P) + 1] = {Described<P>::parameter()..., {}};
  static constexpr void (*members[sizeof...(P) + 1])() = {members_of<P>..., nullptr};
  static constexpr Entry entry{threads, parameters, sizeof...(P), members};
};

}  // namespace kernelset

#if defined(KERNELSET_PART)
// where the part that all units have in common finds the kernels
extern KS_HIDDEN const kernelset::Entry* const kernelset_entries[];
extern KS_HIDDEN const unsigned kernelset_entry_count;
extern KS_HIDDEN const long long kernelset_constants[];
extern KS_HIDDEN const unsigned kernelset_constant_count;
#endif
