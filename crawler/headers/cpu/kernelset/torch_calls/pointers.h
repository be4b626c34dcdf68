// Arguments of a launcher that takes plain pointers, of which nobody tells the size: memory that is larger than a call needs,
// and that holds what suits the part that is taken. Whoever copies `n` elements from it finds contents for `n`.
#pragma once

namespace kernelset::torch_calls {

// memory that a pointer leads to; it is filled when all arguments are there, since what counts it may come later
struct GivenMemory {
  char *place;
  size_t bytes, width;
  std::function<void(char *, size_t count)> fill;
  bool is_refilled = false;
};
constexpr size_t given_bytes = size_t(1) << 19;
KS_CALLS std::vector<GivenMemory> &given_memory() {
  static std::vector<GivenMemory> all;
  return all;
}
// the same places in each call: pointers in memory are compared, too
KS_CALLS char *given_place(size_t number) {
  static std::vector<char *> places;
  while (places.size() <= number) {
    void *place = nullptr;
    if (allocate_memory(&place, given_bytes, kernelset::caller_memory_kind)) throw c10::Error("out of memory");
    places.push_back(static_cast<char *>(place));
  }
  return places[number];
}
KS_CALLS void refill_given(const void *from, size_t bytes) {
  for (GivenMemory &each : given_memory()) {
    if (from != each.place || each.is_refilled || bytes > each.bytes || each.width > bytes) continue;
    each.is_refilled = true;
    each.fill(each.place, bytes / each.width);
  }
}
// what is not counted yet repeats itself: to make each element anew takes longer than the call
constexpr size_t most_made = 2048;
KS_CALLS void fill_given() {
  for (GivenMemory &each : given_memory()) {
    const size_t count = std::min(each.bytes / each.width, most_made);
    each.fill(each.place, count);
    for (size_t done = count * each.width; done < each.bytes; done *= 2) {
      memcpy(each.place + done, each.place, std::min(done, each.bytes - done));
    }
  }
  before_copy = refill_given;
}
KS_CALLS unsigned long long digest_bytes(const char *bytes, size_t count, unsigned long long digest = 0xcbf29ce484222325ull) {
  for (size_t at = 0; at < count; ++at) digest = (digest ^ static_cast<unsigned char>(bytes[at])) * 0x100000001b3ull;
  return digest;
}
// of all that the call was given and may have written into
KS_CALLS unsigned long long digest_given() {
  unsigned long long digest = 0xcbf29ce484222325ull;
  for (const GivenMemory &each : given_memory()) digest = digest_bytes(each.place, each.bytes, digest);
  return digest;
}

// how elements of a pointer are chosen
struct Contents {
  unsigned kind;
  int64_t limit;
  unsigned argument;
};
template <class T, class = void> struct IsComplete : std::false_type {};
template <class T> struct IsComplete<T, std::void_t<decltype(sizeof(T))>> : std::true_type {};

// stands for a member of a structure: whatever type it has, it becomes a value of it
template <class Whole, class Source> struct Member {
  Source source;
  template <class U, std::enable_if_t<!std::is_same_v<U, Whole>, int> = 0> operator U() const { return source.template make<U>(); }
};
struct NoSource {
  template <class U> U make() const;
};
template <class T, size_t> using MemberAt = Member<T, NoSource>;
template <class T, class Sequence, class = void> struct HasMembers : std::false_type {};
template <class T, size_t... At>
struct HasMembers<T, std::index_sequence<At...>, std::void_t<decltype(T{std::declval<MemberAt<T, At>>()...})>> : std::true_type {};
constexpr size_t most_members = 16;
template <class T, size_t N = most_members> constexpr size_t count_members() {
  if constexpr (N == 0) return 0;
  else if constexpr (HasMembers<T, std::make_index_sequence<N>>::value) return N;
  else return count_members<T, N - 1>();
}
template <class T, class Source, size_t... At> T make_of_members(Source source, std::index_sequence<At...>) {
  return T{((void)At, Member<T, Source>{source})...};
}
template <class T> constexpr bool is_plain_structure = std::is_class_v<T> && std::is_aggregate_v<T> && std::is_trivially_copyable_v<T>;

template <class T> T make_element(const Contents &contents, size_t at, size_t count);
struct ElementSource {
  const Contents *contents;
  size_t at, count;
  template <class U> U make() const { return make_element<U>(*contents, at, count); }
};
// Three bytes or four together are a colour, and no caller keeps any from a kernel; the ends of their range come often.
template <class T> constexpr bool is_colour() {
  if constexpr (is_plain_structure<T>) return sizeof(T) == count_members<T>() && (sizeof(T) == 3 || sizeof(T) == 4);
  else return false;
}
template <class T> T make_colour(size_t at) {
  unsigned char bytes[sizeof(T)];
  for (size_t part = 0; part < sizeof(T); ++part) {
    const unsigned number = mix(static_cast<unsigned>(at * sizeof(T) + part) + 29);
    bytes[part] = static_cast<unsigned char>(number % 8 == 0 ? 255 : number % 8 == 1 ? 0 : number >> 8);
  }
  T colour;
  memcpy(&colour, bytes, sizeof(T));
  return colour;
}
template <class T> T make_element(const Contents &contents, size_t at, size_t count) {
  if constexpr (is_colour<T>()) return make_colour<T>(at);
  else if constexpr (std::is_same_v<T, bool>) return mix(static_cast<unsigned>(at)) & 1;
  else if constexpr (std::is_integral_v<T>) {
    // any byte may stand among bytes
    const bool is_given = are_whole_numbers_zero || strain == Strain::ones || strain_compared(sizeof(T));
    const bool is_byte = sizeof(T) == 1 && contents.kind == 0 && !is_given;
    return static_cast<T>(is_byte ? mix(static_cast<unsigned>(at)) : whole_element(contents.kind, at, count, contents.limit, sizeof(T)));
  } else if constexpr (std::is_floating_point_v<T>) return static_cast<T>(real_element(contents.kind % 3, at, contents.argument));
  else if constexpr (is_plain_structure<T>) {
    return make_of_members<T>(ElementSource{&contents, at, count}, std::make_index_sequence<count_members<T>()>());
  } else if constexpr (std::is_constructible_v<T, float>) return T(static_cast<float>(real_element(contents.kind % 3, at, contents.argument)));
  else return T{};
}
template <class T> constexpr bool can_be_element() {
  if constexpr (!IsComplete<T>::value || std::is_pointer_v<T> || std::is_function_v<T>) return false;
  else return std::is_trivially_copyable_v<T> && std::is_default_constructible_v<T>;
}
// how what the pointer leads to is filled, by choices of its own
template <class T> std::function<void(char *, size_t)> choose_fill(Choices &choices) {
  const unsigned argument = choices.next_place(), kind = choices.choose(6), chosen_limit = choices.choose(64);
  const auto number = static_cast<unsigned>(given_memory().size());
  return [&choices, argument, kind, chosen_limit, number](char *place, size_t count) {
    const auto &sizes = choices.sizes;
    const auto value = [&](size_t at) { return sizes[at].value(choices.instance); };
    const int64_t limit = sizes.empty() ? 1 : value(chosen_limit % sizes.size());
    bool is_size = false, is_one_more = false;
    for (size_t at = 0; at < sizes.size(); ++at) {
      is_size |= value(at) == static_cast<int64_t>(count);
      is_one_more |= value(at) + 1 == static_cast<int64_t>(count);
    }
    // one more than there are of something: where each of them begins, and where the last one ends
    const bool are_bounds = is_one_more && !is_size && std::is_integral_v<T> && sizeof(T) > 1;
    const Contents contents = {are_bounds ? 4 : kind, limit, argument};
    ranked_argument = number;
    for (size_t at = 0; at < count; ++at) {
      const T element = make_element<T>(contents, at, count);
      memcpy(place + at * sizeof(T), &element, sizeof(T));
    }
  };
}
template <class T> const char *name_element() {
  static const char *const whole[] = {"int8", "int16", "int32", "int64"};
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) return whole[sizeof(T) > 4 ? 3 : sizeof(T) / 2];
  else if constexpr (std::is_same_v<T, float>) return "float";
  else if constexpr (std::is_same_v<T, double>) return "double";
  else return "element";
}

template <class T> struct Maker<T *> {
  using Held = std::conditional_t<std::is_void_v<T>, float, std::remove_cv_t<T>>;
  static T *make(Choices &choices) {
    if constexpr (!can_be_element<Held>()) {
      throw c10::Error("no argument of this type can be made");
    } else {
      char *place = given_place(given_memory().size());
      given_memory().push_back({place, given_bytes / sizeof(Held) * sizeof(Held), sizeof(Held), choose_fill<Held>(choices)});
      choices.describe() << name_element<Held>() << "*";
      return reinterpret_cast<T *>(place);
    }
  }
};
// what a launcher without tensors takes as a vector is data, and no list of a few numbers
template <class T> std::vector<T> choose_vector(Choices &choices) {
  const size_t count = static_cast<size_t>(choose_integer(choices));
  std::vector<T> all(std::min(count, given_bytes / sizeof(T)));
  given_memory().push_back({reinterpret_cast<char *>(all.data()), all.size() * sizeof(T), sizeof(T), choose_fill<T>(choices)});
  return all;
}
// streams: the default one
template <> struct Maker<CUstream_st *> {
  static CUstream_st *make(Choices &choices) {
    choices.describe() << "0";
    return nullptr;
  }
};
template <> struct Maker<dim3> {
  static dim3 make(Choices &choices) {
    const auto x = static_cast<unsigned>(choose_integer(choices));
    choices.describe() << " x ";
    return dim3(x, static_cast<unsigned>(choose_integer(choices)));
  }
};
template <class T> struct Maker<T, std::enable_if_t<std::is_enum_v<T> && !std::is_same_v<T, c10::ScalarType>>> {
  static T make(Choices &choices) {
    const unsigned value = choices.choose(3);
    choices.describe() << value;
    return static_cast<T>(value);
  }
};
struct ArgumentSource {
  Choices *choices;
  template <class U> U make() const {
    const U made = Maker<U>::make(*choices);
    choices->describe() << ", ";
    return made;
  }
};
template <class T> struct Maker<T, std::enable_if_t<is_plain_structure<T>>> {
  static T make(Choices &choices) {
    choices.describe() << "{";
    const T made = make_of_members<T>(ArgumentSource{&choices}, std::make_index_sequence<count_members<T>()>());
    choices.describe() << "}";
    return made;
  }
};

template <class T> struct IsOfTensors : std::is_same<T, at::Tensor> {};
template <class T> struct IsOfTensors<std::optional<T>> : IsOfTensors<T> {};
template <class T> struct IsOfTensors<std::vector<T>> : IsOfTensors<T> {};

}  // namespace kernelset::torch_calls
