// Structures that a kernel is passed by value, as the constructors of its project make them.
#pragma once
#include <new>
#include <utility>

#include <kernelset/cpu/entry.h>

namespace kernelset {

// A structure that its project's own constructor makes: a unit's text then has a function beside that constructor, which
// takes the same and makes one.
template <class... T>
struct Types {};
template <class T>
struct Makes;
template <class T, class... P>
struct Makes<T (*)(P...)> {
  using Made = T;
  using Taken = Types<P...>;
  static constexpr bool is_plain = (std::is_trivially_copyable<std::remove_cv_t<std::remove_reference_t<P>>>::value && ...);
};
template <class T, class = void>
struct Made {
  using Taken = Types<T>;
  static constexpr bool is_made = false;
};
template <class T>
struct Made<T, std::enable_if_t<std::is_same<T, typename Makes<decltype(&T::kernelset_make)>::Made>::value &&
                                Makes<decltype(&T::kernelset_make)>::is_plain>> {
  using Taken = typename Makes<decltype(&T::kernelset_make)>::Taken;
  static constexpr bool is_made = true;
};
constexpr size_t made_alignment = 64;
constexpr size_t room_of(size_t size) { return (size + made_alignment - 1) / made_alignment * made_alignment; }

template <class T>
using Bare = std::remove_cv_t<std::remove_reference_t<T>>;
template <class T>
struct Step {  // from what an entry takes to one argument of the kernel
  template <class... P>
  static constexpr unsigned count_of(Types<P...>) {
    return sizeof...(P);
  }
  static constexpr unsigned count = count_of(typename Made<Bare<T>>::Taken());
  static constexpr Making making(unsigned first) {
    if constexpr (Made<Bare<T>>::is_made) return {first, count, sizeof(Bare<T>), Bare<T>::kernelset_names};
    else return {first, 1, 0, nullptr};
  }
  template <class... P, size_t... At>
  static void make(void* place, void** taken, Types<P...>, std::index_sequence<At...>) {
    ::new (place) Bare<T>(Bare<T>::kernelset_make(static_cast<P>(*static_cast<Bare<P>*>(taken[At]))...));
  }
  static void take(void** from, unsigned& at, unsigned& to, char*& place) {
    if constexpr (Made<Bare<T>>::is_made) {
      make(place, from + at, typename Made<Bare<T>>::Taken(), std::make_index_sequence<count>());
      arguments[to] = place;
      place += room_of(sizeof(Bare<T>));
    } else {
      arguments[to] = from[at];
    }
    at += count;
    ++to;
  }
};
template <auto Kernel, class Taken>
struct MadeCall;
template <class... P, void (*Kernel)(P...), class... Q>
struct MadeCall<Kernel, Types<Q...>> {
  static void make(char* place) {
    void* from[sizeof(arguments) / sizeof(*arguments)];
    for (size_t at = 0; at < sizeof...(Q); ++at) from[at] = arguments[at];
    unsigned at = 0, to = 0;
    (Step<P>::take(from, at, to, place), ...);
  }
  struct Makings {
    Making of[sizeof...(P) + 1];
  };
  static constexpr Makings all() {
    unsigned first = 0, at = 0;
    Makings found = {};
    ((found.of[at++] = Step<P>::making(first), first += Step<P>::count), ...);
    return found;
  }
  static_assert(sizeof...(Q) <= sizeof(arguments) / sizeof(*arguments));
  static constexpr Makings makings = all();
  static constexpr Parameter parameters[sizeof...(Q) + 1] = {Described<Q>::parameter()..., {}};
  static constexpr void (*members[sizeof...(Q) + 1])() = {members_of<Q>..., nullptr};
  static constexpr Entry entry{Call<Kernel>::threads, parameters, sizeof...(Q), members, makings.of, sizeof...(P), make};
};
template <class... T>
struct Joined;
template <>
struct Joined<> {
  using All = Types<>;
};
template <class... A>
struct Joined<Types<A...>> {
  using All = Types<A...>;
};
template <class... A, class... B, class... Rest>
struct Joined<Types<A...>, Types<B...>, Rest...> {
  using All = typename Joined<Types<A..., B...>, Rest...>::All;
};
template <class... P>
constexpr bool some_made(void (*)(P...)) {
  return (Made<Bare<P>>::is_made || ...);
}
template <class... P>
typename Joined<typename Made<Bare<P>>::Taken...>::All taken_by(void (*)(P...));
template <auto Kernel>
constexpr const Entry* entry_of() {
  if constexpr (some_made(Kernel)) return &MadeCall<Kernel, decltype(taken_by(Kernel))>::entry;
  else return &Call<Kernel>::entry;
}

}  // namespace kernelset

#define KERNELSET_KERNEL(...) kernelset::entry_of<__VA_ARGS__>()
