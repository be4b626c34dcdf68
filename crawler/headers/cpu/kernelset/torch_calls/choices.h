// The choices of a call: numbers from which its arguments are made. A call is repeated by repeating its choices, and another one
// is found by changing some of them. Sizes are letters whose values change from one instance of a call to the next; sizes that
// are the same letter belong together.
#pragma once

namespace kernelset::torch_calls {

constexpr int instance_count = 9;
constexpr int letter_count = 6;
// odd and even, below and above a block, each axis of a few the longest once, and yet not many elements in tensors of four;
// the small ones first. None is another one and one more, and in the first instance all are primes: what is asked for would be
// there by chance.
constexpr int64_t letter_values[instance_count][letter_count] = {
    {7, 11, 5, 13, 17, 19}, {1, 5, 3, 37, 8, 11},  {2, 65, 19, 4, 34, 7},  {33, 7, 5, 3, 17, 10},
    {3, 261, 5, 1, 9, 13},  {257, 3, 1, 5, 33, 8}, {16, 32, 8, 4, 64, 12}, {1025, 1, 3, 1, 5, 7},
    {2, 5, 259, 2, 7, 131},
};

// What is added to sizes that are a multiple of another: a launcher that divides them may let through what leaves a rest.
inline int64_t rest_of_multiples = 0;

// a size: a product of letters and numbers and what is added to it, so that it has a value in each instance
struct Size {
  int letters[2] = {-1, -1};
  int64_t factor = 1;
  bool is_power = false;  // of two: the next one that is not less
  int64_t addend = 0;
  bool is_number() const { return letters[0] < 0 && !addend; }
  bool is_multiple() const { return letters[0] >= 0 && factor > 1; }
  int64_t value(int instance) const {
    int64_t product = factor;
    for (const int letter : letters) product *= letter < 0 ? 1 : letter_values[instance][letter];
    if (!is_power) return product + addend + (is_multiple() ? rest_of_multiples : 0);
    int64_t power = 1;
    while (power < product) power *= 2;
    return power + addend;
  }
};
KS_CALLS Size multiply(const Size &one, const Size &other) {
  Size product = one;
  product.addend = 0;
  product.factor *= other.factor;
  product.is_power &= other.is_power;
  for (const int letter : other.letters) {
    if (letter >= 0) product.letters[product.letters[0] < 0 ? 0 : 1] = letter;
  }
  return product;
}

// A size by itself among the choices: from which number to which it is chosen, and which of all sizes were kept for it, the last
// of them the size. Of those before the first, `earlier_count` are of other arguments.
struct ChosenSize {
  unsigned begin, end;
  unsigned first, size;
  unsigned earlier_count;
  bool is_fresh;  // a letter that no other size has
  bool is_plain_number = false;  // of an argument that is a number, and is chosen as one: see `choose_integer`
};
// A tensor with the shape of another: where among the choices that is said, by two of them, how many sizes were chosen before, and
// its axes, each by its number among all sizes.
struct LikeTensor {
  unsigned place, first;
  unsigned tensor, other;  // its number among all tensors, and that of the one with its shape
  std::vector<unsigned> axes;
};
// words that stand in the launcher, or in what it names
KS_CALLS std::vector<std::string> &written_words() {
  static std::vector<std::string> words;
  return words;
}
// numbers that stand in the text of the launcher: its checks may ask for them
KS_CALLS std::vector<int64_t> &written_numbers() {
  static std::vector<int64_t> numbers;
  return numbers;
}
// A letter by its name, which only a change of choices asks for: those behind it stay what they are.
constexpr unsigned first_named_letter = 64;
constexpr int64_t usual_numbers[] = {1, 2, 3, 4, 5, 9, 6, 7, 8, 16, 32, 64, 128, 256, 0, 25};
constexpr unsigned usual_number_count = sizeof usual_numbers / sizeof *usual_numbers;
KS_CALLS int64_t number_at(unsigned place) {
  return place < usual_number_count ? usual_numbers[place] : written_numbers()[place - usual_number_count];
}
KS_CALLS unsigned count_numbers() { return usual_number_count + static_cast<unsigned>(written_numbers().size()); }

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
    ChosenSize chosen{next_place(), 0, count_sizes(), 0, static_cast<unsigned>(size_count), false};
    const int letter_count_before = letters_;
    const Size size = keep(choose_kind_of_size(size_count));
    chosen.end = next_place();
    chosen.size = count_sizes() - 1;
    const bool has_letter = letters_ > letter_count_before || numbers_[chosen.begin] >= first_named_letter;
    chosen.is_fresh = chosen.end == chosen.begin + 1 && has_letter && !size.is_power;
    chosen_sizes.push_back(chosen);
    return size;
  }
  // offsets, axes and modes are small, and whole blocks are special
  Size choose_plain_number() {
    const unsigned place = choose(8);
    return place < 7 ? Size{{-1, -1}, place} : choose_number();
  }
  const std::vector<unsigned> &numbers() const { return numbers_; }
  unsigned count_sizes() const { return static_cast<unsigned>(sizes.size()); }
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
    const unsigned place = choose(count_numbers());
    const int64_t number = number_at(place);
    // nor may anything be needed where a side is 1 in each call
    special_sizes += number < 2 || number == 8 || number > 9;
    return {{-1, -1}, number};
  }
  bool is_reducing = false;  // whether numbers become those that stay the same choice where there are more to choose from
  const int instance;
  // sizes under which a kernel's guards may not be needed: those of whole blocks, and sides that are equal
  unsigned special_sizes = 0;
  // sides of tensors that are the same number in each call
  unsigned fixed_sides = 0;
  // numbers that are the same in each call, or two that are always equal: in calls of a launcher without checks they may
  // be what it relies on
  unsigned tied_sizes = 0;
  bool has_fixed_sizes = false;  // the same in each call, or equal: what is out of place may go unnoticed
  int64_t shift = 0;             // what is added to such sizes
  bool is_plain = false;         // whether no tensors are asked for
  bool has_integers = false;     // whether whole numbers are
  int flag_count = 0;              // what is true or false
  std::vector<int64_t> integers;   // arguments that are whole numbers
  size_t raised_integer = ~size_t(0);  // the one of them that is `raised_to` whatever was chosen; none: beyond all
  int64_t raised_to = 0;
  std::vector<unsigned> type_places;  // where among the numbers the types of tensors are chosen, each by two of them
  std::vector<ChosenSize> chosen_sizes;
  std::vector<LikeTensor> like_tensors;
  std::vector<unsigned> references;  // where among the numbers a size is named by its place among all sizes
  std::vector<unsigned> limits;  // where among the numbers a size is named that what a tensor holds stays below
  std::vector<unsigned> asked_axes;  // of each tensor: those that the launcher asked for by themselves, a bit each
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
  Size choose_earlier(size_t size_count) {
    references.push_back(next_place());
    return sizes[choose(static_cast<unsigned>(size_count))];
  }
  Size choose_kind_of_size(size_t size_count) {
    if (at_ < numbers_.size() && numbers_[at_] >= first_named_letter) {
      return {{static_cast<int>(numbers_[at_++] - first_named_letter) % letter_count, -1}, 1};
    }
    const unsigned kind = choose(16);
    if (kind == 11 && size_count < sizes.size()) {
      size_count = sizes.size();
      ++special_sizes;
    }
    if (kind < 6 || (kind < 12 && !size_count)) return fresh_letter();
    if (kind < 12) return choose_earlier(size_count);
    if (kind == 13) return choose_power();
    if (kind < 13) return choose_number();
    Size factor = choose_factor(size_count);
    if (kind == 14) return multiply(factor, choose_factor(size_count));
    // as many as parts of a list have ends
    ++factor.addend;
    return factor;
  }
  Size fresh_letter() { return {{letters_++ % letter_count, -1}, 1}; }
  Size keep(Size size) {
    sizes.push_back(size);
    return size;
  }
  // the height and the width of a picture may come as arguments of their own, behind their product
  Size choose_factor(size_t size_count) {
    const unsigned kind = choose(4);
    if (kind == 1 && !sizes.empty()) {
      const size_t size = sizes.size();
      const Size factor = choose_earlier(size);
      special_sizes += numbers_[at_ - 1] % size >= size_count;
      return factor;
    }
    return keep(kind == 3 ? choose_number() : fresh_letter());
  }
  std::vector<unsigned> &numbers_;
  std::mt19937 *random_;  // null: the first of all choices
  size_t at_ = 0;
  int letters_ = 0;
};

}  // namespace kernelset::torch_calls
