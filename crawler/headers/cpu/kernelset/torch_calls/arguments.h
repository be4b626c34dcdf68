// Arguments for a call of a launcher, each by a chain of choices, and what they hold.
#pragma once

namespace kernelset::torch_calls {

KS_CALLS unsigned mix(unsigned value) {
  value = (value ^ (value >> 16)) * 0x45d9f3bu;
  value = (value ^ (value >> 16)) * 0x45d9f3bu;
  return value ^ (value >> 16);
}
// whether all of them are zero: an index that any tensor has
inline bool are_whole_numbers_zero = false;
// contents that callers may not keep from a kernel: each third number below zero, up to twice the largest size, or far beyond;
// or all whole numbers the same, the last below a size or that size, one after another; or other real numbers; or whole
// numbers that ascend from zero to a size, as where parts of a list begin, and the same with nothing in the first and last parts;
// or all whole numbers one; or those that the kernel itself compares with, letters among bytes alone; or real numbers of another
// kind, for real arguments as well; or whole numbers below each size of the call in turn, or from one up to it, and at last -1
// among them, which stands for none; or as they were, with one of the call's flags the other way; or in tensors that begin one
// element behind their memory; or in an order, all of them large, and in the same order, all of them below zero; or as they were,
// with one number as large as a size that the launcher holds it against; or with one more where a size is a multiple of another
enum class Strain { none, negative, near, far, edge, redrawn, bounds, gaps, ones, compared, spread, varied, flipped, shifted, raised, lowered, most, uneven };
constexpr int strain_count = static_cast<int>(Strain::uneven) + 1;
constexpr int sizes_varied = 4, most_flipped = 3, ranked_rounds = 6;  // half of them with equal ones
inline Strain strain = Strain::none;
inline int64_t strain_span = 1;  // the largest size of the call
inline int strain_round = 0;  // such calls are made several times
inline bool is_host_compared = false;  // with real numbers of each kind, whatever goes well elsewhere
constexpr int count_rounds(Strain of) {
  if (of == Strain::bounds || of == Strain::gaps) return 4;
  if (of == Strain::varied) return 3 * sizes_varied;
  if (of == Strain::flipped) return most_flipped;
  if (of == Strain::raised || of == Strain::lowered) return ranked_rounds;
  return of == Strain::edge || of == Strain::spread ? 8 : of == Strain::redrawn ? 2 : of == Strain::none || of == Strain::ones || of == Strain::uneven ? 1 : 3;
}
KS_CALLS std::vector<int64_t> &compared_numbers() {
  static std::vector<int64_t> all;
  return all;
}
inline bool are_letters_compared = false;
KS_CALLS bool strain_compared(size_t width) {
  return strain == Strain::compared && !compared_numbers().empty() && (width == 1 || !are_letters_compared);
}
inline int64_t edge_value = 0;
// the number that stands at the edge of one of the sizes of a call, the smallest size first
KS_CALLS int64_t find_edge(std::vector<int64_t> sizes) {
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  if (strain != Strain::edge && strain != Strain::varied) return strain_round < static_cast<int>(sizes.size()) ? sizes[static_cast<size_t>(strain_round)] : 0;
  const int pair = strain_round / 2;
  const size_t at = static_cast<size_t>(pair < sizes_varied ? pair : strain_round % sizes_varied);
  if (strain == Strain::varied) return at < sizes.size() ? sizes[at] : 0;
  return at < sizes.size() ? sizes[at] - 1 + strain_round % 2 : 0;
}
// another third in each round: a number that is far too large may be passed by for what stands beside it
KS_CALLS bool strain_third(size_t at) {
  return at % 3 == static_cast<size_t>(strain_round % 3) && (strain == Strain::negative || strain == Strain::near || strain == Strain::far);
}
KS_CALLS double strained_element(size_t at) {
  const auto place = static_cast<int64_t>(at);
  switch (strain) {
    case Strain::negative: return static_cast<double>(-1 - place % 5);
    case Strain::near: return static_cast<double>(mix(static_cast<unsigned>(at)) % static_cast<unsigned long>(2 * strain_span + 1));
    // a kernel may have sizes of its own
    default: return static_cast<double>(4096 + 8 * strain_span + place % 7);
  }
}
// where the part `at` of a list of `edge_value` elements begins; behind the last part, where that ends
KS_CALLS double bound_element(size_t at, size_t count) {
  const auto last = std::max<int64_t>(static_cast<int64_t>(count) - 1, 1);
  const auto place = static_cast<int64_t>(at);
  const int64_t shifted = strain == Strain::gaps ? std::clamp<int64_t>(2 * place - last / 2, 0, last) : place;
  return static_cast<double>(shifted * edge_value / last);
}
// random letters spell no word: of those that a kernel looks for, several stand side by side
KS_CALLS double compared_element(size_t at) {
  const auto &all = compared_numbers();
  const unsigned round = 0x1000000u * static_cast<unsigned>(strain_round);
  return static_cast<double>(all[mix(static_cast<unsigned>(at) + round + 17) % all.size()]);
}
// Contents of which nothing but the order is the same in both runs: their values and their differences are not. Those of one
// argument are above or below all of another; those of each are all the same, and then each another, in order.
KS_CALLS bool is_ranked() { return strain == Strain::raised || strain == Strain::lowered; }
inline unsigned ranked_argument = 0;  // of which contents are made
KS_CALLS double ranked_element(size_t at) {
  const auto round = static_cast<int64_t>(strain_round), level = (static_cast<int64_t>(ranked_argument) + round) % 3;
  const int64_t rank = 2 * strain_span * level + (round < ranked_rounds / 2 ? 0 : static_cast<int64_t>(at));
  const int64_t begin = 16384 + 32 * strain_span;
  return static_cast<double>(strain == Strain::raised ? begin + 3 * rank : 5 * rank - begin);
}
constexpr unsigned length_kind = 6;
// what an element of whole numbers holds: indices below `limit` in several orders, or lengths up to it
KS_CALLS double whole_element(unsigned kind, size_t at, size_t count, int64_t limit, size_t width) {
  if (are_whole_numbers_zero) return 0;
  // others do not hold them
  if (is_ranked() && width >= 4) return ranked_element(at);
  if (strain == Strain::edge) return static_cast<double>(edge_value);
  if (strain == Strain::ones) return 1;
  if (strain == Strain::varied) {
    const bool holds_none = strain_round >= 2 * sizes_varied;
    if (holds_none && at % 3 == 1) return -1;
    limit = edge_value;
    kind = holds_none || strain_round % 2 ? 0 : length_kind;
  }
  if (strain_compared(width)) return compared_element(at);
  // what stands beside a text may be places in it: each another, since none has to come twice
  if (strain == Strain::compared && are_letters_compared) return static_cast<double>(at);
  if (strain == Strain::bounds || strain == Strain::gaps) return bound_element(at, count);
  if (strain_third(at)) return strained_element(at);
  const int64_t below = std::max<int64_t>(limit, 1), place = static_cast<int64_t>(at);
  switch (kind) {
    case 0: return static_cast<double>(mix(static_cast<unsigned>(at)) % static_cast<unsigned long>(below));
    case 1: return 0;
    case 2: return static_cast<double>(place % below);
    case 3: return static_cast<double>(place * below / static_cast<int64_t>(std::max<size_t>(count, 1)));
    case 4: return static_cast<double>((place * below) / std::max<int64_t>(static_cast<int64_t>(count) - 1, 1));
    case 5: return static_cast<double>((static_cast<int64_t>(count) - 1 - place) % below);
    // how long something is
    default: return static_cast<double>(1 + mix(static_cast<unsigned>(at)) % static_cast<unsigned long>(below));
  }
}
constexpr int real_kinds = 3;
// what an element of real numbers holds: any, those from 0 to 1, or whole ones; the ends among them. They are others for each
// `argument`: what is held against itself hides much.
KS_CALLS double real_element(unsigned kind, size_t at, unsigned argument) {
  if (strain_third(at)) return strained_element(at);
  if (is_ranked()) return ranked_element(at);
  const bool is_spread = strain == Strain::spread;
  if (is_spread || is_host_compared) kind = (kind + static_cast<unsigned>(strain_round)) % real_kinds;
  const unsigned first = 0x9e3779b1u * argument + (strain == Strain::redrawn || is_spread ? 0x10000u + 0x1000000u * static_cast<unsigned>(strain_round) : 17);
  const unsigned number = mix(static_cast<unsigned>(at) + first);
  const double part = number % 9 == 0 ? 1 : number % 1024 / 1024.0;
  if (kind == 0) return number & 4096 ? 2 * part : -2 * part;
  return kind == 1 ? part : static_cast<double>(number % 4);
}

// What a slice of a longer tensor is: dense, and not at the beginning of its memory.
KS_CALLS at::Tensor make_shifted(const std::vector<int64_t> &sizes, c10::ScalarType type, const std::function<void(char *)> &fill) {
  const size_t width = c10::elementSize(type);
  const auto fill_behind = [fill, width](char *bytes) {
    memset(bytes, 0, width);
    fill(bytes + width);
  };
  return make_view(make_tensor({count_elements(sizes) + 1}, type, true, fill_behind), sizes, dense_strides(sizes), 1);
}
KS_CALLS at::Tensor choose_tensor(Choices &choices) {
  static constexpr c10::ScalarType types[] = {c10::kFloat, c10::kLong, c10::kInt, c10::kHalf, c10::kDouble,
                                              c10::kByte, c10::kBool, c10::kBFloat16, c10::kChar, c10::kShort};
  const unsigned place = choices.next_place();
  const bool is_like_another = choices.choose(3) == 1 && !choices.tensors.empty();
  std::vector<int64_t> sizes;
  if (is_like_another) {
    const unsigned number = choices.choose(static_cast<unsigned>(choices.tensors.size()));
    const auto &other = choices.tensors[number];
    sizes = list_sizes(other.sizes());
    const std::vector<unsigned> axes = choices.shapes[number];
    choices.shapes.push_back(axes);
    const auto own_number = static_cast<unsigned>(choices.tensors.size());
    choices.like_tensors.push_back({place, choices.count_sizes(), own_number, number, axes});
  } else {
    const unsigned rank = 1 + choices.choose(5);
    const size_t size_count = choices.sizes.size();
    std::vector<unsigned> axes;
    for (unsigned at = 0; at < rank; ++at) {
      const Size size = choices.choose_size(size_count);
      choices.fixed_sides += size.is_number();
      sizes.push_back(size.value(choices.instance));
      axes.push_back(static_cast<unsigned>(choices.sizes.size()) - 1);
    }
    choices.shapes.push_back(std::move(axes));
  }
  choices.note_type();
  const unsigned chosen_type = choices.choose(16);
  const c10::ScalarType type = types[chosen_type % (choices.choose(2) ? 10 : 4)];
  const size_t count = static_cast<size_t>(count_elements(sizes));
  const unsigned chosen_kind = choices.choose(c10::isFloatingType(type) ? real_kinds : 10);
  // each row of its own, as where each item of a batch has a list of parts
  const bool is_by_row = (chosen_kind == 6 || chosen_kind == 7) && sizes.size() > 1;
  const unsigned kind = chosen_kind < 6 ? chosen_kind : chosen_kind < 8 ? chosen_kind - 3 : length_kind;
  const size_t filled_count = is_by_row ? static_cast<size_t>(sizes.back()) : count;
  choices.limits.push_back(choices.next_place());
  const unsigned chosen_limit = choices.choose(64);
  const bool is_whole = !c10::isFloatingType(type);
  // what is counted by it may come as a later argument
  const auto number = static_cast<unsigned>(choices.tensors.size());
  const auto fill = [&choices, type, count, filled_count, kind, chosen_limit, is_whole, place, number](char *bytes) {
    ranked_argument = number;
    const int64_t limit = choices.sizes.empty() ? 1 : choices.sizes[chosen_limit % choices.sizes.size()].value(choices.instance);
    std::vector<double> values(count);
    for (size_t at = 0; at < count; ++at) {
      values[at] = is_whole ? whole_element(kind, at % filled_count, filled_count, limit, c10::elementSize(type)) : real_element(kind, at, place);
    }
    put_elements(bytes, type, values);
  };
  at::Tensor tensor = strain == Strain::shifted && count ? make_shifted(sizes, type, fill) : make_tensor(sizes, type, !are_tensors_on_host, fill);
  choices.tensors.push_back(tensor);
  static const char *const names[] = {"uint8", "int8", "int16", "int32", "int64", "half", "float", "double"};
  const size_t name = static_cast<size_t>(type);
  if (choices.is_described) {
    choices.describe() << (name < 8 ? names[name] : type == c10::kBool ? "bool" : "bfloat16") << "[";
    for (size_t at = 0; at < sizes.size(); ++at) choices.describe() << (at ? ", " : "") << sizes[at];
    choices.describe() << "]";
  }
  return tensor;
}
// what plain memory is counted by: sizes that are new, seldom a part of one that was there before, or a number
KS_CALLS int64_t choose_plain_size(Choices &choices) {
  const unsigned kind = choices.choose(16);
  const auto value_of = [&](const Size &size) {
    choices.sizes.push_back(size);
    return size.value(choices.instance);
  };
  if (kind < 6) return value_of(choices.choose_letter());
  if (kind < 9 && !choices.sizes.empty()) {
    const Size earlier = choices.sizes[choices.choose(static_cast<unsigned>(choices.sizes.size()))];
    ++choices.tied_sizes;
    if (kind < 8) return (earlier.value(choices.instance) + 1) / 2;
    choices.has_fixed_sizes = true;
    return std::max<int64_t>(value_of(earlier) + choices.shift, 0);
  }
  if (kind >= 14) return value_of(multiply(choices.choose_letter(), choices.choose_letter()));
  ++choices.tied_sizes;
  if (kind == 13) return value_of(choices.choose_power());
  const Size number = choices.choose_plain_number();
  choices.has_fixed_sizes = true;
  return std::max<int64_t>(value_of(number) + choices.shift, 0);
}
KS_CALLS int64_t choose_integer(Choices &choices) {
  choices.has_integers = true;
  if (choices.is_plain) {
    const int64_t value = choose_plain_size(choices);
    choices.describe() << value;
    return value;
  }
  const unsigned begin = choices.next_place(), first = choices.count_sizes();
  const unsigned kind = choices.choose(8);
  const bool is_number = kind >= 4 || (choices.sizes.empty() && kind < 3);
  const Size size = is_number ? choices.choose_number() : choices.choose_size(choices.sizes.size());
  if (is_number) {
    choices.sizes.push_back(size);
    choices.chosen_sizes.push_back({begin, choices.next_place(), first, first, first, false, true});
  }
  const bool is_raised = choices.integers.size() == choices.raised_integer;
  const int64_t value = is_raised ? choices.raised_to : size.value(choices.instance);
  choices.integers.push_back(value);
  choices.describe() << value;
  return value;
}

template <class T, class = void> struct Maker {
  static T make(Choices &) { throw c10::Error("no argument of this type can be made"); }
};
template <class T> std::vector<T> choose_vector(Choices &choices);
template <> struct Maker<at::Tensor> {
  static at::Tensor make(Choices &choices) { return choose_tensor(choices); }
};
template <> struct Maker<bool> {
  static bool make(Choices &choices) {
    const bool is_flipped = strain == Strain::flipped && choices.flag_count++ == strain_round;
    const bool value = choices.choose(2) != is_flipped;
    choices.describe() << (value ? "true" : "false");
    return value;
  }
};
template <class T> struct Maker<T, std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool>>> {
  static T make(Choices &choices) { return static_cast<T>(choose_integer(choices)); }
};
template <class T> struct Maker<T, std::enable_if_t<std::is_floating_point_v<T>>> {
  static T make(Choices &choices) {
    static constexpr double numbers[] = {0.5, 1, 2, 0, 1e-5, 0.1, -1, 3};
    const unsigned moved = strain == Strain::spread ? mix(8 * choices.next_place() + static_cast<unsigned>(strain_round) + 1) : 0;
    const double value = numbers[(choices.choose(8) + moved) % 8];
    choices.describe() << value;
    return static_cast<T>(value);
  }
};
template <> struct Maker<c10::Scalar> {
  static c10::Scalar make(Choices &choices) { return Maker<double>::make(choices); }
};
template <> struct Maker<c10::ScalarType> {
  static c10::ScalarType make(Choices &choices) {
    static constexpr c10::ScalarType types[] = {c10::kFloat, c10::kHalf, c10::kDouble, c10::kLong, c10::kInt};
    choices.describe() << "a type";
    return types[choices.choose(5)];
  }
};
KS_CALLS const std::string &choose_word(Choices &choices) {
  static const std::vector<std::string> plain_words = {"", "sum", "mean", "max", "min", "none", "add", "mul"};
  const size_t own_count = written_words().size();
  const size_t at = choices.choose(64) % (own_count + plain_words.size());
  const std::string &word = at < own_count ? written_words()[at] : plain_words[at - own_count];
  choices.describe() << "'" << word << "'";
  return word;
}
template <> struct Maker<std::string> {
  static std::string make(Choices &choices) { return choose_word(choices); }
};
template <> struct Maker<std::string_view> {
  static std::string_view make(Choices &choices) { return choose_word(choices); }
};
template <class T> struct Maker<std::optional<T>> {
  static std::optional<T> make(Choices &choices) {
    if (choices.choose(2)) return Maker<T>::make(choices);
    choices.describe() << "none";
    return std::nullopt;
  }
};
template <class T> struct Maker<std::vector<T>> {
  static std::vector<T> make(Choices &choices) {
    if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
      if (choices.is_plain) return choose_vector<T>(choices);
    }
    std::vector<T> all;
    choices.describe() << "{";
    for (unsigned count = 1 + choices.choose(4); count > 0; --count) {
      all.push_back(Maker<T>::make(choices));
      if (count > 1) choices.describe() << ", ";
    }
    choices.describe() << "}";
    return all;
  }
};

// what keeps an argument while it is passed on
template <class T> struct Kept { using type = T; };
template <class T> struct Kept<c10::ArrayRef<T>> { using type = std::vector<T>; };
template <class A> using KeptOf = typename Kept<std::remove_cv_t<std::remove_reference_t<A>>>::type;
template <class A> KeptOf<A> make_argument(Choices &choices) {
  if (choices.is_described && !std::exchange(choices.is_first, false)) choices.describe() << ", ";
  return Maker<KeptOf<A>>::make(choices);
}

}  // namespace kernelset::torch_calls
