// Changes of choices by which one size goes with another, as a check such as `gates.size(1) == 3 * state.size(1)` asks for. What
// changes numbers here and there would have to take both sizes and the number at once.
#pragma once

namespace kernelset::torch_calls {

enum class Relation { equal, multiple, product, divisor, factor, one_more, one_less, number, fresh_multiple };
// what is asked for most often is tried most often
constexpr Relation tried_relations[] = {Relation::equal,    Relation::equal,    Relation::equal,    Relation::multiple,
                                        Relation::product,  Relation::product,  Relation::divisor,  Relation::factor,
                                        Relation::factor,   Relation::one_more, Relation::one_less, Relation::number,
                                        Relation::fresh_multiple};

// choices of a size by what `Choices::choose_size` and `Choices::choose_factor` take them for
struct SizeChoices {
  std::vector<unsigned> numbers;
  unsigned size_count;  // how many sizes are kept for it
};
KS_CALLS SizeChoices choose_fresh() { return {{0}, 1}; }
KS_CALLS SizeChoices choose_letter(int letter) { return {{first_named_letter + static_cast<unsigned>(letter)}, 1}; }
KS_CALLS SizeChoices choose_same(unsigned size, unsigned earlier_count) { return {{size < earlier_count ? 6u : 11u, size}, 1}; }
KS_CALLS SizeChoices choose_multiple(unsigned size, unsigned number) { return {{14, 1, size, 3, number}, 2}; }
KS_CALLS SizeChoices choose_fresh_multiple(unsigned number) { return {{14, 0, 3, number}, 3}; }
KS_CALLS SizeChoices choose_product(unsigned size) { return {{14, 1, size, 0}, 2}; }
KS_CALLS SizeChoices choose_fresh_product() { return {{14, 0, 0}, 3}; }
KS_CALLS SizeChoices choose_one_more(unsigned size) { return {{15, 1, size}, 1}; }
KS_CALLS SizeChoices choose_fresh_one_more() { return {{15, 0}, 2}; }
KS_CALLS SizeChoices choose_number(unsigned number) { return {{12, number}, 1}; }

// What two sizes are chosen as, the first as it was where nothing is said of it. Where it becomes a multiple of the second, or one
// more, the letter that is the second stands among its own sizes, as the first of them. The second may go with a factor of the
// first, too.
struct RelatedChoices {
  std::optional<SizeChoices> first;
  SizeChoices second;
};
KS_CALLS RelatedChoices relate(Relation relation, unsigned number, const ChosenSize &first, const ChosenSize &second) {
  switch (relation) {
    case Relation::multiple: return {{}, choose_multiple(first.size, number)};
    case Relation::product: return {{}, choose_product(first.size)};
    case Relation::factor: return {choose_fresh_product(), choose_same(first.first, second.earlier_count)};
    case Relation::divisor: return {choose_fresh_multiple(number), choose_same(first.first, second.earlier_count)};
    case Relation::one_more: return {{}, choose_one_more(first.size)};
    case Relation::one_less: return {choose_fresh_one_more(), choose_same(first.first, second.earlier_count)};
    case Relation::number: return {{}, choose_number(number)};
    case Relation::fresh_multiple: return {{}, choose_fresh_multiple(number)};
    default: return {{}, choose_same(first.size, second.earlier_count)};
  }
}

// Two sizes, chosen so that they go together in each call as they do in this one; nothing where they do not, or where they are to
// be numbers and are not. A number changes with them from then on.
KS_CALLS std::optional<RelatedChoices> keep_relation(const Choices &choices, const ChosenSize &first, const ChosenSize &second,
                                                     bool are_numbers) {
  const Size &one = choices.sizes[first.size], &other = choices.sizes[second.size];
  const int64_t value = one.value(choices.instance), other_value = other.value(choices.instance);
  if (value < 1 || other_value < 1 || (are_numbers && !(one.is_number() && other.is_number()))) return {};
  const auto follow = [&](Relation relation, unsigned number) {
    if (!one.is_number()) return relate(relation, number, first, second);
    const SizeChoices following = relation == Relation::multiple ? choose_multiple(first.first, number) : choose_one_more(first.first);
    return RelatedChoices{choose_fresh(), following};
  };
  if (value == other_value) return relate(Relation::equal, 0, first, second);
  for (unsigned number = 0; number < count_numbers(); ++number) {
    const int64_t times = number_at(number);
    if (times > 1 && value == times * other_value) return relate(Relation::divisor, number, first, second);
    if (times > 1 && other_value == times * value) return follow(Relation::multiple, number);
  }
  if (value == other_value + 1) return relate(Relation::one_less, 0, first, second);
  if (other_value == value + 1) return follow(Relation::one_more, 0);
  return {};
}

// numbers in which some sizes are chosen otherwise, and what names later sizes follows them
class RelatedNumbers {
 public:
  RelatedNumbers(const Choices &choices) : choices_(choices) {}
  void replace(const ChosenSize &chosen, SizeChoices by) {
    // `choose_integer` chooses a size by that
    if (chosen.is_plain_number) by.numbers.insert(by.numbers.begin(), 3);
    move(chosen.begin, chosen.end, by);
    moves_.push_back({chosen.size, static_cast<int>(by.size_count) - static_cast<int>(chosen.size - chosen.first + 1)});
  }
  // a tensor with the shape of another chooses each of its axes: `choose_axis` says how, by which it is
  template <class ChooseAxis> void choose_axes(const LikeTensor &tensor, const ChooseAxis &choose_axis) {
    const auto rank = static_cast<unsigned>(tensor.axes.size());
    SizeChoices by = {{0, rank - 1}, rank};
    for (unsigned at = 0; at < rank; ++at) {
      const SizeChoices axis = choose_axis(at);
      by.numbers.insert(by.numbers.end(), axis.numbers.begin(), axis.numbers.end());
    }
    move(tensor.place, tensor.place + 2, by);
    moves_.push_back({tensor.first, static_cast<int>(by.size_count)});
  }
  void copy_rest() {
    copy_to(static_cast<unsigned>(choices_.numbers().size()));
    // it may name a later size, which has moved by now
    const unsigned count = choices_.count_sizes();
    for (const unsigned place : limits_) {
      if (count) numbers[place] = follow(numbers[place] % count);
    }
  }
  // the place that a size has by now
  unsigned follow(unsigned size) const {
    int place = static_cast<int>(size);
    for (const Move &move : moves_) place += size >= move.size ? move.by : 0;
    return static_cast<unsigned>(std::max(place, 0));
  }
  std::vector<unsigned> numbers;

 private:
  struct Move {
    unsigned size;
    int by;
  };
  void move(unsigned begin, unsigned end, const SizeChoices &by) {
    copy_to(begin);
    numbers.insert(numbers.end(), by.numbers.begin(), by.numbers.end());
    at_ = end;
  }
  void copy_to(unsigned end) {
    const auto &references = choices_.references, &limits = choices_.limits;
    for (; at_ < end; ++at_) {
      const unsigned number = choices_.numbers()[at_];
      const bool is_reference = std::binary_search(references.begin(), references.end(), at_);
      if (std::binary_search(limits.begin(), limits.end(), at_)) limits_.push_back(static_cast<unsigned>(numbers.size()));
      numbers.push_back(is_reference ? follow(number) : number);
    }
  }
  const Choices &choices_;
  unsigned at_ = 0;
  std::vector<Move> moves_;
  std::vector<unsigned> limits_;
};

// `choices` are those of a call that was made with reduced numbers, here and below
KS_CALLS std::vector<unsigned> free_axis(const Choices &choices, const LikeTensor &tensor, unsigned axis) {
  RelatedNumbers changed(choices);
  const auto choose_axis = [&](unsigned at) { return at == axis ? choose_fresh() : choose_same(tensor.axes[at], tensor.first); };
  changed.choose_axes(tensor, choose_axis);
  changed.copy_rest();
  return std::move(changed.numbers);
}
KS_CALLS std::vector<unsigned> free_size(const Choices &choices, const ChosenSize &size) {
  RelatedNumbers changed(choices);
  changed.replace(size, choose_fresh());
  changed.copy_rest();
  return std::move(changed.numbers);
}
// the choices in which a size that goes with others, that one of the place `at`, is one of its own; none behind the last one
KS_CALLS std::vector<unsigned> free_tied_size(const Choices &choices, size_t at) {
  for (const ChosenSize &size : choices.chosen_sizes) {
    if (!size.is_fresh && !at--) return free_size(choices, size);
  }
  for (const LikeTensor &tensor : choices.like_tensors) {
    if (at < tensor.axes.size()) return free_axis(choices, tensor, static_cast<unsigned>(at));
    at -= tensor.axes.size();
  }
  return {};
}
KS_CALLS std::vector<unsigned> replace_sizes(const Choices &choices, const ChosenSize &first, const ChosenSize &second, const RelatedChoices &by) {
  RelatedNumbers changed(choices);
  if (by.first) changed.replace(first, *by.first);
  changed.replace(second, by.second);
  changed.copy_rest();
  return std::move(changed.numbers);
}
KS_CALLS void relate_sizes(std::vector<unsigned> &numbers, const Choices &choices, std::mt19937 &random) {
  const auto &sizes = choices.chosen_sizes;
  const auto pick = [&random](size_t count) { return static_cast<unsigned>(random() % count); };
  if (random() % 4 == 0) {
    std::vector<unsigned> freed = free_tied_size(choices, pick(8));
    if (!freed.empty()) return void(numbers = std::move(freed));
  }
  if (sizes.size() < 2) return;
  const unsigned second = 1 + pick(sizes.size() - 1), first = pick(second);
  const Relation relation = tried_relations[pick(std::size(tried_relations))];
  // what is written in the launcher is asked for more likely than what is not, and that is small
  const auto written_count = static_cast<unsigned>(written_numbers().size());
  const unsigned number = written_count && random() % 2 ? usual_number_count + pick(written_count) : 1 + pick(8);
  ChosenSize part = sizes[first];
  part.size = part.first + pick(part.size - part.first + 1);
  const RelatedChoices related = relate(relation, number, part, sizes[second]);
  numbers = replace_sizes(choices, sizes[first], sizes[second], related);
}

}  // namespace kernelset::torch_calls
