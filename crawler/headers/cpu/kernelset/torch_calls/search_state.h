// How far choices lead, and what a search knows of them: it lies where the next child process finds it.
#pragma once

namespace kernelset::torch_calls {

// how far choices lead; the larger, the better
struct Reach {
  unsigned checks = 0, questions = 0, special_sizes = 0, tied_sizes = 0;
  unsigned fixed_sides = 0;
  bool is_checked = false, is_measured = false, has_empty_tensor = false, has_shared_race = false, uses_all = false;
  unsigned accepted_instances = 0, clean_instances = 0;  // a bit an instance
  bool is_clean() const { return __builtin_popcount(accepted_instances) >= 3 && accepted_instances == clean_instances; }
  bool is_as_general_as(const Reach &other) const {
    return special_sizes <= other.special_sizes && tied_sizes <= other.tied_sizes && is_checked >= other.is_checked &&
           uses_all >= other.uses_all;
  }
  // whether sizes are no more special than those of others, in most of their instances
  bool is_as_free_as(const Reach &other) const {
    return is_as_general_as(other) && 2 * __builtin_popcount(accepted_instances) >= __builtin_popcount(other.accepted_instances);
  }
  // No check wants threads to race for shared memory: sides that are numbers would only hide it.
  bool hides_race_of(const Reach &other) const { return other.has_shared_race && fixed_sides > other.fixed_sides; }
  // few instances are enough for that: where it goes wrong again and again, the others are not tried
  bool reveals_race_of(const Reach &other) const { return has_shared_race && is_as_general_as(other); }
  // Whether it shows what more special sizes hide: a kernel whose launcher lets the plain ones through is to bear them.
  bool is_plainer_than(const Reach &other) const {
    const bool is_general = is_as_general_as(other) && special_sizes < other.special_sizes;
    return is_general && __builtin_popcount(accepted_instances) >= 3;
  }
  // where it goes wrong again and again, more instances say no more
  bool is_hopeless() const { return __builtin_popcount(accepted_instances & ~clean_instances) >= 3; }
  unsigned long rank() const {
    const unsigned long instances = static_cast<unsigned long>(__builtin_popcount(accepted_instances));
    // what holds nothing passes many a check, and nothing is launched for it
    const unsigned long held = has_empty_tensor ? 0 : 1ul << 40;
    if (!instances) return held + (std::min(checks, 4095u) << 16) + std::min(questions, 65535u);
    const unsigned long plain_sizes = 63 - std::min(special_sizes, 63u), free_sizes = 63 - std::min(tied_sizes, 63u);
    const unsigned long cleans = static_cast<unsigned long>(__builtin_popcount(clean_instances));
    // what is accepted in few instances tells little, whatever its sizes
    const unsigned long is_telling = instances >= 3;
    // windows that lie beside their picture go well, whatever a kernel does with it
    return (1ul << 48) + (is_telling << 47) + (static_cast<unsigned long>(uses_all) << 46) + (plain_sizes << 40) + (cleans << 32) + (free_sizes << 16) + instances;
  }
};
constexpr size_t most_choices = 512;
// of an instance, where the first one does not take a good part of them: it tells little more than a smaller one, for seconds
constexpr size_t many_threads = 1 << 15, many_times = 8;
// after a call under special sizes, in which it is seen whether others are accepted, too
constexpr unsigned more_tries = 20000;
constexpr unsigned most_tries = 400000, few_evaluations = 50, plain_evaluations = 110, most_evaluations = 220, most_children = 60;
// fewer calls that all go wrong tell nothing: see `crawler/validate/launchers/call_search.py`
constexpr unsigned telling_evaluations = 30;
// ways to fit arguments together in all of which some tensor is not looked at
constexpr unsigned unused_evaluations = 12;
// of a launcher that calls what is not there whenever it comes so far
constexpr unsigned most_missing = 1000;
constexpr unsigned most_changed = 24, most_separated = 64;
constexpr double changing_seconds = 1.5;
// An instance that takes longer is left out from then on, as long as most are left: in the time of one of it, many other ways to
// fit arguments together are tried.
constexpr double slow_seconds = 0.4;
constexpr int most_slow_instances = 3;
constexpr double search_seconds = 10, plain_seconds = 6, few_seconds = 1.5, child_seconds = 3;  // of the processor
struct WrittenChoices {
  size_t count;
  unsigned numbers[most_choices];
  void write(const std::vector<unsigned> &all) {
    count = std::min(all.size(), most_choices);
    std::copy_n(all.begin(), count, numbers);
  }
  std::vector<unsigned> read() const { return {numbers, numbers + count}; }
};
// what is left of a search whose process ends
struct SearchState {
  Reach best;
  WrittenChoices best_choices, best_types;
  unsigned seed, tries, evaluations, first_accepted, missing;
  size_t first_threads;  // of the first instance of the choices that are tried
  double seconds;  // of the processor, of children that have ended
  bool is_done, has_refused_type, was_out_of_time;
  unsigned slow_instances;  // a bit each
  void note_slow_instance() {
    if (instance && __builtin_popcount(slow_instances) < most_slow_instances) slow_instances |= 1u << instance;
  }
  bool is_found() const {
    // some launchers take what no kernel of theirs looks at
    const bool is_free = !best.special_sizes && !best.tied_sizes && (best.uses_all || evaluations > unused_evaluations);
    return best.is_clean() && (is_free || tries > first_accepted + more_tries);
  }
  // of a launcher that does not check what it is given, nothing that goes wrong tells
  bool is_of_no_use() const { return best.accepted_instances && !best.is_checked; }
  // nor is there much to find out of one that takes plain pointers
  bool is_plain;
  bool is_given_up(double seconds) const {
    const double most_seconds = is_of_no_use() ? few_seconds : is_plain ? plain_seconds : search_seconds;
    const unsigned most = is_of_no_use() ? few_evaluations : is_plain ? plain_evaluations : most_evaluations;
    // a slow machine is to come to the same answer
    if (!evaluations && missing >= most_missing) return true;
    const bool may_tell_soon = best.accepted_instances && best.is_checked && evaluations < telling_evaluations;
    return seconds > (may_tell_soon ? 2 : 1) * most_seconds || tries >= most_tries || evaluations >= most;
  }
  // what was tried when it ended: the same choices go on with the instance behind the one that did it
  bool is_trying, has_fixed_sizes;
  WrittenChoices tried_choices, tried_types;
  Reach reach;
  int instance;
};

}  // namespace kernelset::torch_calls
