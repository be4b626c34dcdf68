// Arguments for a call of a launcher, each by a chain of choices. A choice is a number: a call is repeated by repeating its
// choices, and another one is found by changing some of them. Sizes are letters whose values change from one instance of a
// call to the next; sizes that are the same letter belong together.
#pragma once

namespace kernelset::torch_calls {

constexpr int instance_count = 9;
constexpr int letter_count = 6;
// odd and even, below and above a block, each axis of a few the longest once, and yet not many elements in tensors of four;
// the small ones first
constexpr int64_t letter_values[instance_count][letter_count] = {
    {6, 7, 5, 9, 4, 11},  {1, 2, 3, 37, 5, 4},   {2, 65, 19, 4, 34, 3},  {33, 7, 5, 3, 17, 2},
    {3, 261, 4, 2, 9, 5},  {257, 3, 2, 5, 33, 7}, {16, 32, 8, 4, 64, 12}, {1025, 2, 3, 1, 2, 1},
    {2, 3, 259, 2, 7, 131},
};

// a size: a product of letters and numbers, so that it has a value in each instance
struct Size {
  int letters[2] = {-1, -1};
  int64_t factor = 1;
  bool is_power = false;  // of two: the next one that is not less
  int64_t value(int instance) const {
    int64_t product = factor;
    for (const int letter : letters) product *= letter < 0 ? 1 : letter_values[instance][letter];
    if (!is_power) return product;
    int64_t power = 1;
    while (power < product) power *= 2;
    return power;
  }
};
KS_CALLS Size multiply(const Size &one, const Size &other) {
  Size product = one;
  product.factor *= other.factor;
  product.is_power &= other.is_power;
  for (const int letter : other.letters) {
    if (letter >= 0) product.letters[product.letters[0] < 0 ? 0 : 1] = letter;
  }
  return product;
}

// A size that is chosen as that of another, or as a number: where among the choices that is done, by two of them. Where a
// tensor has the shape of another, it is one of its axes.
struct BoundSize {
  unsigned place;
  unsigned axis = 0;
  std::vector<unsigned> axes = {};  // of the shape, each by its number among all sizes
  // the same choices, but for this size, which becomes one of its own
  std::vector<unsigned> free(const std::vector<unsigned> &numbers) const {
    std::vector<unsigned> freed(numbers.begin(), numbers.begin() + place);
    freed.push_back(0);
    if (!axes.empty()) freed.push_back(static_cast<unsigned>(axes.size()) - 1);
    for (unsigned at = 0; at < axes.size(); ++at) {
      freed.push_back(at == axis ? 0 : 6);
      if (at != axis) freed.push_back(axes[at]);
    }
    freed.insert(freed.end(), numbers.begin() + place + 2, numbers.end());
    return freed;
  }
};
// the choices of a call, and what was made by them so far
class Choices {
 public:
  Choices(std::vector<unsigned> &numbers, std::mt19937 *random, int number_of_instance)
      : instance(number_of_instance), numbers_(numbers), random_(random) {}
  unsigned choose(unsigned count) {
    // what comes first is what is meant most often
    if (at_ == numbers_.size()) numbers_.push_back(!random_ || (*random_)() % 4 ? 0 : (*random_)() % 64);
    unsigned &number = numbers_[at_++];
    if (is_reducing) number %= count;
    return number % count;
  }
  // `others` are the sizes that were chosen before those of the same tensor: sides of one are seldom meant to be equal
  Size choose_size(size_t size_count) {
    const unsigned place = next_place();
    const unsigned kind = choose(16);
    if (kind == 11 && size_count < sizes.size()) {
      size_count = sizes.size();
      ++special_sizes;
    }
    if (kind >= 6 && kind < 13 && (size_count || kind == 12)) bound_sizes.push_back({place});
    if (kind < 6 || (kind < 12 && !size_count)) return keep(fresh_letter());
    if (kind < 12) return keep(sizes[choose(static_cast<unsigned>(size_count))]);
    if (kind == 13) return keep(choose_power());
    if (kind < 13) return keep(choose_number());
    const Size factor = choose_factor();
    return keep(multiply(factor, choose_factor()));
  }
  // offsets, axes and modes are small, and whole blocks are special
  Size choose_plain_number() {
    const unsigned place = choose(8);
    return place < 7 ? Size{{-1, -1}, place} : choose_number();
  }
  const std::vector<unsigned> &numbers() const { return numbers_; }
  unsigned next_place() const { return static_cast<unsigned>(at_); }
  void note_type() { type_places.push_back(static_cast<unsigned>(at_)); }
  Size choose_letter() { return fresh_letter(); }
  // what halves itself again and again asks for a power of two, another one in each call
  Size choose_power() {
    ++special_sizes;
    Size power = fresh_letter();
    power.is_power = true;
    return power;
  }
  Size choose_number() {
    static constexpr int64_t numbers[] = {1, 2, 3, 4, 5, 9, 6, 7, 8, 16, 32, 64, 128, 256, 0, 25};
    const unsigned place = choose(16);
    // nor may anything be needed where a side is 1 in each call
    special_sizes += place >= 8 || place == 0;
    return {{-1, -1}, numbers[place]};
  }
  bool is_reducing = false;  // whether numbers become those that stay the same choice where there are more to choose from
  const int instance;
  // sizes under which a kernel's guards may not be needed: those of whole blocks, and sides that are equal
  unsigned special_sizes = 0;
  // numbers that are the same in each call, or two that are always equal: in calls of a launcher without checks they may
  // be what it relies on
  unsigned tied_sizes = 0;
  bool has_fixed_sizes = false;  // the same in each call, or equal: what is out of place may go unnoticed
  int64_t shift = 0;             // what is added to such sizes
  bool is_plain = false;         // whether no tensors are asked for
  bool has_integers = false;     // whether whole numbers are
  std::vector<unsigned> type_places;  // where among the numbers the types of tensors are chosen, each by two of them
  std::vector<BoundSize> bound_sizes;
  std::vector<std::vector<unsigned>> shapes;  // of the tensors: the number of each axis among all sizes
  std::vector<Size> sizes;         // all that were chosen, in their order
  std::vector<at::Tensor> tensors;
  bool is_described = false, is_first = true;
  std::ostringstream description;
  // where nobody reads it, it costs nothing
  std::ostream &describe() {
    static std::ostream nowhere(nullptr);
    return is_described ? description : nowhere;
  }

 private:
  Size fresh_letter() { return {{letters_++ % letter_count, -1}, 1}; }
  Size keep(Size size) {
    sizes.push_back(size);
    return size;
  }
  // the height and the width of a picture may come as arguments of their own, behind their product
  Size choose_factor() {
    const unsigned kind = choose(4);
    if (kind == 1 && !sizes.empty()) return sizes[choose(static_cast<unsigned>(sizes.size()))];
    return keep(kind == 3 ? choose_number() : fresh_letter());
  }
  std::vector<unsigned> &numbers_;
  std::mt19937 *random_;  // null: the first of all choices
  size_t at_ = 0;
  int letters_ = 0;
};

KS_CALLS unsigned mix(unsigned value) {
  value = (value ^ (value >> 16)) * 0x45d9f3bu;
  value = (value ^ (value >> 16)) * 0x45d9f3bu;
  return value ^ (value >> 16);
}
// whether all of them are zero: an index that any tensor has
inline bool are_whole_numbers_zero = false;
// contents that callers may not keep from a kernel: each third number below zero, up to twice the largest size, or far beyond;
// or all whole numbers the same, the last below a size or that size, one after another; or other real numbers; or whole
// numbers that ascend from zero to a size, as where parts of a list begin, and the same with nothing in the first and last parts
enum class Strain { none, negative, near, far, edge, redrawn, bounds, gaps };
inline Strain strain = Strain::none;
inline int64_t strain_span = 1;  // the largest size of the call
inline int strain_round = 0;  // such calls are made several times
constexpr int count_rounds(Strain of) {
  if (of == Strain::bounds || of == Strain::gaps) return 4;
  return of == Strain::edge ? 8 : of == Strain::redrawn ? 2 : of == Strain::none ? 1 : 3;
}
inline int64_t edge_value = 0;
// the number that stands at the edge of one of the sizes of a call, the smallest size first
KS_CALLS int64_t find_edge(std::vector<int64_t> sizes) {
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  if (strain != Strain::edge) return strain_round < static_cast<int>(sizes.size()) ? sizes[static_cast<size_t>(strain_round)] : 0;
  const size_t at = static_cast<size_t>(strain_round / 2);
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
// what an element of whole numbers holds: indices below `limit` in several orders
KS_CALLS double whole_element(unsigned kind, size_t at, size_t count, int64_t limit) {
  if (are_whole_numbers_zero) return 0;
  if (strain == Strain::edge) return static_cast<double>(edge_value);
  if (strain == Strain::bounds || strain == Strain::gaps) return bound_element(at, count);
  if (strain_third(at)) return strained_element(at);
  const int64_t below = std::max<int64_t>(limit, 1), place = static_cast<int64_t>(at);
  switch (kind) {
    case 0: return static_cast<double>(mix(static_cast<unsigned>(at)) % static_cast<unsigned long>(below));
    case 1: return 0;
    case 2: return static_cast<double>(place % below);
    case 3: return static_cast<double>(place * below / static_cast<int64_t>(std::max<size_t>(count, 1)));
    case 4: return static_cast<double>((place * below) / std::max<int64_t>(static_cast<int64_t>(count) - 1, 1));
    default: return static_cast<double>((static_cast<int64_t>(count) - 1 - place) % below);
  }
}
// what an element of real numbers holds: any, those from 0 to 1, or whole ones; the ends among them. They are others for each
// `argument`: what is held against itself hides much.
KS_CALLS double real_element(unsigned kind, size_t at, unsigned argument) {
  if (strain_third(at)) return strained_element(at);
  const unsigned first = 0x9e3779b1u * argument + (strain == Strain::redrawn ? 0x10000u + 0x1000000u * static_cast<unsigned>(strain_round) : 17);
  const unsigned number = mix(static_cast<unsigned>(at) + first);
  const double part = number % 9 == 0 ? 1 : number % 1024 / 1024.0;
  if (kind == 0) return number & 4096 ? 2 * part : -2 * part;
  return kind == 1 ? part : static_cast<double>(number % 4);
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
    for (unsigned axis = 0; axis < axes.size(); ++axis) choices.bound_sizes.push_back({place, axis, axes});
  } else {
    const unsigned rank = 1 + choices.choose(5);
    const size_t size_count = choices.sizes.size();
    std::vector<unsigned> axes;
    for (unsigned at = 0; at < rank; ++at) {
      sizes.push_back(choices.choose_size(size_count).value(choices.instance));
      axes.push_back(static_cast<unsigned>(choices.sizes.size()) - 1);
    }
    choices.shapes.push_back(std::move(axes));
  }
  choices.note_type();
  const unsigned chosen_type = choices.choose(16);
  const c10::ScalarType type = types[chosen_type % (choices.choose(2) ? 10 : 4)];
  const size_t count = static_cast<size_t>(count_elements(sizes));
  const unsigned kind = choices.choose(c10::isFloatingType(type) ? 3 : 6);
  const unsigned chosen_limit = choices.choose(64);
  const bool is_whole = !c10::isFloatingType(type);
  // what is counted by it may come as a later argument
  const auto fill = [&choices, type, count, kind, chosen_limit, is_whole, place](char *bytes) {
    const int64_t limit = choices.sizes.empty() ? 1 : choices.sizes[chosen_limit % choices.sizes.size()].value(choices.instance);
    std::vector<double> values(count);
    for (size_t at = 0; at < count; ++at) {
      values[at] = is_whole ? whole_element(kind, at, count, limit) : real_element(kind, at, place);
    }
    put_elements(bytes, type, values);
  };
  at::Tensor tensor = make_tensor(sizes, type, true, fill);
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
  const unsigned kind = choices.choose(8);
  const bool is_number = kind >= 4 || (choices.sizes.empty() && kind < 3);
  const Size size = is_number ? choices.choose_number() : choices.choose_size(choices.sizes.size());
  if (is_number) choices.sizes.push_back(size);
  const int64_t value = size.value(choices.instance);
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
    const bool value = choices.choose(2);
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
    const double value = numbers[choices.choose(8)];
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
template <> struct Maker<std::string> {
  static std::string make(Choices &choices) {
    static const char *const words[] = {"", "sum", "mean", "max", "min", "none", "add", "mul"};
    const std::string word = words[choices.choose(8)];
    choices.describe() << "'" << word << "'";
    return word;
  }
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
