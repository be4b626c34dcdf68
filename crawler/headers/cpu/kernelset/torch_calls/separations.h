// Sizes that are equal in each call, told apart: some of them become another letter, together. Which of them belong together
// nothing says, so each way to part them may be tried.
#pragma once

namespace kernelset::torch_calls {

// one of several sizes that are equal: one that was chosen by itself, or an axis of a tensor that has the shape of another
struct EqualSize {
  unsigned place;         // among the choices
  unsigned size;          // its number among all sizes
  int tensor = -1;        // whose axis it is; none: an argument by itself
  unsigned axis = 0;
  const ChosenSize *chosen = nullptr;
  const LikeTensor *like = nullptr;
};
// A way to part equal sizes: those whose bit in `moved` is set become `letter`, the others stay.
struct Separation {
  std::vector<EqualSize> equals;
  unsigned moved = 0;
  int letter = 0;
  bool is_moved(size_t at) const { return moved >> at & 1; }
  // whether only plain numbers among the arguments become `letter`, and no side of a tensor
  bool moves_numbers_alone() const {
    for (size_t at = 0; at < equals.size(); ++at) {
      if (is_moved(at) && equals[at].tensor >= 0) return false;
    }
    return true;
  }
};
constexpr size_t most_equals = 6;

KS_CALLS bool are_same(const Size &one, const Size &other) {
  return one.letters[0] == other.letters[0] && one.letters[1] == other.letters[1] && one.factor == other.factor &&
         one.is_power == other.is_power && one.addend == other.addend;
}
KS_CALLS bool is_letter(const Size &size) {
  return size.letters[0] >= 0 && size.letters[1] < 0 && size.factor == 1 && !size.is_power && !size.addend;
}
KS_CALLS bool is_used_letter(const Choices &choices, int letter) {
  return std::any_of(choices.sizes.begin(), choices.sizes.end(),
                     [letter](const Size &each) { return each.letters[0] == letter || each.letters[1] == letter; });
}
// a letter that no size of a call has; none: -1
KS_CALLS int find_unused_letter(const Choices &choices) {
  for (int letter = letter_count; letter-- > 0;) {
    if (!is_used_letter(choices, letter)) return letter;
  }
  return -1;
}
// an unused letter that is smaller than `size` in the first instance if `is_smaller`, else larger; none: -1
KS_CALLS int find_letter_beside(const Choices &choices, const Size &size, bool is_smaller) {
  for (int letter = letter_count; letter-- > 0;) {
    const int64_t value = letter_values[0][letter];
    if (!is_used_letter(choices, letter) && (is_smaller ? value < size.value(0) : value > size.value(0))) return letter;
  }
  return -1;
}
KS_CALLS std::vector<EqualSize> list_equals(const Choices &choices, const Size &size) {
  std::vector<EqualSize> equals;
  std::vector<bool> is_like(choices.shapes.size());
  for (const LikeTensor &like : choices.like_tensors) {
    is_like[like.tensor] = true;
    for (unsigned axis = 0; axis < like.axes.size(); ++axis) {
      if (!are_same(choices.sizes[like.axes[axis]], size)) continue;
      equals.push_back({like.place, like.axes[axis], static_cast<int>(like.tensor), axis, nullptr, &like});
    }
  }
  for (const ChosenSize &chosen : choices.chosen_sizes) {
    if (!are_same(choices.sizes[chosen.size], size)) continue;
    EqualSize equal = {chosen.begin, chosen.size, -1, 0, &chosen, nullptr};
    for (size_t tensor = 0; tensor < choices.shapes.size(); ++tensor) {
      const auto &axes = choices.shapes[tensor];
      const auto found = std::find(axes.begin(), axes.end(), chosen.size);
      if (is_like[tensor] || found == axes.end()) continue;
      equal.tensor = static_cast<int>(tensor);
      equal.axis = static_cast<unsigned>(found - axes.begin());
    }
    equals.push_back(equal);
  }
  std::stable_sort(equals.begin(), equals.end(), [](const EqualSize &one, const EqualSize &other) { return one.place < other.place; });
  return equals;
}
// All ways to part the sizes of a call that are equal, or are the same number; few at a time first.
KS_CALLS std::vector<Separation> list_separations(const Choices &choices) {
  std::vector<Separation> all;
  const int letter = find_unused_letter(choices);
  if (letter < 0) return all;
  std::vector<Size> seen;
  for (const Size &size : choices.sizes) {
    const bool is_seen = std::any_of(seen.begin(), seen.end(), [&](const Size &each) { return are_same(each, size); });
    if (is_seen || !(is_letter(size) || size.is_number())) continue;
    seen.push_back(size);
    const std::vector<EqualSize> equals = list_equals(choices, size);
    if (equals.empty() || equals.size() > most_equals) continue;
    // the first of equal letters stays: what one part becomes the other may have been
    const unsigned ways = 1u << equals.size();
    for (unsigned moved = 1; moved < ways; ++moved) {
      // the same number stands here and there by chance
      const bool is_likely = size.is_number() ? moved == ways - 1 || __builtin_popcount(moved) == 1 : !(moved & 1);
      if (!is_likely) continue;
      const Separation separation = {equals, moved, letter};
      all.push_back(separation);
      if (size.is_number() || !separation.moves_numbers_alone()) continue;
      // a launcher may refuse what is larger than the size, or what is smaller
      for (const bool is_smaller : {true, false}) {
        const int other = find_letter_beside(choices, size, is_smaller);
        if (other >= 0 && other != letter) all.push_back({equals, moved, other});
      }
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const Separation &one, const Separation &other) {
    return __builtin_popcount(one.moved) < __builtin_popcount(other.moved);
  });
  return all;
}
// Whether the launcher asks for a size of each part by itself, and so takes them for two: of what it wants to be equal it would
// have asked for one. Of a number and the letter in its place, only the size that becomes the letter has to be asked for: a
// launcher whose side has to be 3 does not ask.
KS_CALLS bool asks_for_both(const Choices &choices, const Separation &separation) {
  bool is_asked[2] = {};
  for (size_t at = 0; at < separation.equals.size(); ++at) {
    const EqualSize &equal = separation.equals[at];
    if (equal.tensor < 0 || static_cast<size_t>(equal.tensor) >= choices.asked_axes.size()) continue;
    is_asked[separation.is_moved(at)] |= choices.asked_axes[static_cast<size_t>(equal.tensor)] >> equal.axis & 1;
  }
  return is_asked[1] && (is_asked[0] || choices.sizes[separation.equals[0].size].is_number());
}

// choices in which equal sizes are parted; `choices` are those of a call that was made with reduced numbers
class SeparatedNumbers {
 public:
  SeparatedNumbers(const Choices &choices, const Separation &separation)
      : choices_(choices), separation_(separation), changed_(choices) {
    const auto &equals = separation.equals;
    for (size_t at = 0; at < equals.size(); ++at) {
      if (equals[at].chosen) separate_size(at);
      else if (!at || equals[at - 1].like != equals[at].like) separate_axes(*equals[at].like);
    }
    changed_.copy_rest();
  }
  std::vector<unsigned> &&numbers() { return std::move(changed_.numbers); }

 private:
  // nothing: the first of the sizes that stay, or one that is a number
  std::optional<SizeChoices> choose_part(size_t at, unsigned own_place, unsigned earlier_count) {
    int &first = firsts_[separation_.is_moved(at)];
    if (first >= 0) return choose_same(static_cast<unsigned>(first), earlier_count);
    first = static_cast<int>(own_place);
    if (separation_.is_moved(at)) return choose_letter(separation_.letter);
    return {};
  }
  void separate_size(size_t at) {
    const ChosenSize &chosen = *separation_.equals[at].chosen;
    const bool is_fixed = choices_.sizes[chosen.size].is_number() && !separation_.is_moved(at);
    // all that makes it stands before itself
    const unsigned place = changed_.follow(chosen.first);
    if (is_fixed) return;
    if (const auto part = choose_part(at, place, changed_.follow(chosen.earlier_count))) changed_.replace(chosen, *part);
    else firsts_[0] = static_cast<int>(changed_.follow(chosen.size));
  }
  void separate_axes(const LikeTensor &like) {
    bool is_other = false;
    for (unsigned axis = 0; axis < like.axes.size(); ++axis) is_other |= is_moved(like.tensor, axis) != is_moved(like.other, axis);
    if (!is_other) return;
    const unsigned earlier_count = changed_.follow(like.first);
    changed_.choose_axes(like, [&](unsigned axis) {
      const std::optional<size_t> at = find(like.tensor, axis);
      const bool is_fixed = at && choices_.sizes[like.axes[axis]].is_number() && !separation_.is_moved(*at);
      const auto part = at && !is_fixed ? choose_part(*at, earlier_count + axis, earlier_count) : std::nullopt;
      return part ? *part : choose_same(changed_.follow(like.axes[axis]), earlier_count);
    });
  }
  std::optional<size_t> find(unsigned tensor, unsigned axis) const {
    const auto &equals = separation_.equals;
    for (size_t at = 0; at < equals.size(); ++at) {
      if (equals[at].tensor == static_cast<int>(tensor) && equals[at].axis == axis) return at;
    }
    return {};
  }
  bool is_moved(unsigned tensor, unsigned axis) const {
    const std::optional<size_t> at = find(tensor, axis);
    return at && separation_.is_moved(*at);
  }
  const Choices &choices_;
  const Separation &separation_;
  RelatedNumbers changed_;
  int firsts_[2] = {-1, -1};  // of each part, by its number among all sizes
};

}  // namespace kernelset::torch_calls
