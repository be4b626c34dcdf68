// The search for calls: it changes choices as long as a call comes further, then loosens the sizes of the best.
#pragma once

namespace kernelset::torch_calls {

KS_CALLS bool is_within(clock_t start, double seconds) { return static_cast<double>(clock() - start) < seconds * CLOCKS_PER_SEC; }
// Whether what a plain launcher asks for, or how many threads it starts, goes with sizes that are fixed or equal: then these
// count something, and are no offsets, axes or modes. That a kernel keeps to its memory with them says little. One more may
// change nothing where one less does: parts that are as long as the whole, or longer, are one part.
KS_CALLS bool changes_with_fixed_sizes(const CallOnce &call_once, std::vector<unsigned> &numbers) {
  const auto call = [&](int64_t shift) {
    Choices choices(numbers, nullptr, 0);
    choices.shift = shift;
    return call_once(choices);
  };
  const Attempt plain = call(0), more = call(1), fewer = call(-1);
  const auto differs = [&](const Attempt &other) {
    return other.asked_bytes != plain.asked_bytes || other.thread_starts != plain.thread_starts;
  };
  return differs(more) || (fewer.is_accepted && differs(fewer));
}
KS_CALLS void note_attempt(const Attempt &attempt, const Choices &choices, SearchState &state) {
  const unsigned bit = 1u << state.instance;
  Reach &reach = state.reach;
  state.is_plain = choices.is_plain;
  if (bit == 1) {
    state.first_threads = attempt.thread_starts;
    state.tried_types.write(choices.type_places);
    reach.checks = attempt.checks;
    reach.questions = attempt.questions;
    reach.special_sizes = attempt.special_sizes;
    reach.tied_sizes = attempt.tied_sizes;
    reach.fixed_sides = attempt.fixed_sides;
    reach.is_checked = attempt.is_checked;
    reach.is_measured = attempt.is_measured;
    reach.has_empty_tensor = attempt.has_empty_tensor;
    reach.uses_all = attempt.uses_all;
    state.missing += attempt.has_missing_call;
    state.has_refused_type |= attempt.has_refused_type;
    if (!attempt.is_accepted) return;
    if (!state.evaluations++) state.first_accepted = state.tries;
    state.tried_choices.write(choices.numbers());
    state.is_trying = true;
  }
  if (!attempt.is_accepted) return;
  state.has_fixed_sizes = attempt.has_fixed_sizes;
  reach.accepted_instances |= bit;
  reach.has_shared_race |= attempt.has_shared_race;
  if (!attempt.is_faulty) reach.clean_instances |= bit;
}
// A fault that ends the process is one that a call shows, like any other.
inline SearchState *state_of_call;
KS_CALLS void note_fatal_attempt() {
  if (!state_of_call || !running_call || !is_running_launch_faulty()) return;
  note_attempt(running_call->describe(true, true), running_call->choices, *state_of_call);
}
KS_CALLS void measure_reach(const CallOnce &call_once, std::vector<unsigned> &numbers, std::mt19937 *random, SearchState &state) {
  Reach &reach = state.reach;
  for (; state.instance < instance_count && !reach.is_hopeless(); ++state.instance) {
    const bool is_first = !state.instance;
    if (state.slow_instances >> state.instance & 1) continue;
    const clock_t start = clock();
    if (is_first) state.has_fixed_sizes = false;
    Choices choices(numbers, random, state.instance);
    most_started_threads = is_first ? ~size_t(0) : started_threads + std::max(many_threads, many_times * state.first_threads);
    state_of_call = &state;
    const Attempt attempt = call_once(choices);
    state_of_call = nullptr;
    most_started_threads = ~size_t(0);
    note_attempt(attempt, choices, state);
    if (is_first && !attempt.is_accepted) break;
    if (is_within(start, slow_seconds)) continue;
    if (is_first && state.best.accepted_instances) {
      // as if it were refused: others of the time tell more
      reach.accepted_instances = reach.clean_instances = 0;
      break;
    }
    state.note_slow_instance();
  }
  state.is_trying = false;
  if (!state.has_fixed_sizes || !reach.clean_instances || !changes_with_fixed_sizes(call_once, numbers)) return;
  reach.clean_instances = 0;
  // less than powers of two, which some launchers ask for
  reach.special_sizes += 2;
}
// what has one type may have to be of another together: each by itself would only come less far
KS_CALLS void change_types(std::vector<unsigned> &numbers, const std::vector<unsigned> &places, std::mt19937 &random) {
  const auto chosen_at = [&](size_t place) { return std::pair(numbers[place] % 16, numbers[place + 1] % 2); };
  const auto chosen = chosen_at(places[random() % places.size()]);
  const unsigned type = static_cast<unsigned>(random() % 16), is_any = static_cast<unsigned>(random() % 2);
  for (const size_t place : places) {
    if (chosen_at(place) != chosen) continue;
    numbers[place] = type;
    numbers[place + 1] = is_any;
  }
}
KS_CALLS void change_choices(std::vector<unsigned> &numbers, const std::vector<unsigned> &type_places, std::mt19937 &random) {
  if (numbers.empty()) return;
  if (type_places.size() > 1 && type_places.back() + 1 < numbers.size() && random() % 8 == 0) {
    return change_types(numbers, type_places, random);
  }
  // one after another, as those of an argument or two are, or anywhere
  const size_t first = random() % numbers.size();
  const bool is_together = random() % 2;
  for (size_t at = 0, count = 1 + random() % (is_together ? 8 : 3); at < count; ++at) {
    const size_t place = is_together ? first + at : random() % numbers.size();
    if (place < numbers.size()) numbers[place] = static_cast<unsigned>(random() % 64);
  }
  // a tail that belongs to what was changed is chosen anew
  if (random() % 8 == 0) numbers.resize(1 + random() % numbers.size());
}
KS_CALLS bool improve_call(const CallOnce &call_once, std::vector<unsigned> numbers, SearchState &state) {
  state.reach = {};
  state.instance = 0;
  measure_reach(call_once, numbers, nullptr, state);
  const bool is_better = state.best.is_clean() ? state.reach.is_clean() && state.reach.is_as_free_as(state.best)
                                               : state.reach.rank() >= state.best.rank() && !state.reach.hides_race_of(state.best);
  if (!is_better) return false;
  state.best = state.reach;
  state.best_choices.write(numbers);
  return true;
}
KS_CALLS Choices describe_best(const CallOnce &call_once, std::vector<unsigned> &numbers, const SearchState &state) {
  numbers = state.best_choices.read();
  Choices choices(numbers, nullptr, 0);
  choices.is_reducing = true;
  call_once(choices);
  return choices;
}
// Sizes that are equal in each call may hide what is done with one in place of the other: each is chosen by itself where calls
// go as well then. Returns true where threads race for shared memory then, which no check wants them to: that it was hidden is no
// merit of the other calls.
KS_CALLS bool free_sizes(const CallOnce &call_once, SearchState &state) {
  size_t at = 0;
  const clock_t start = clock();
  for (unsigned tries = 0; tries < most_changed && is_within(start, changing_seconds); ++tries) {
    std::vector<unsigned> numbers;
    const std::vector<unsigned> freed = free_tied_size(describe_best(call_once, numbers, state), at);
    if (freed.empty()) return false;
    const bool is_improved = improve_call(call_once, freed, state);
    if (!is_improved && state.reach.reveals_race_of(state.best)) {
      state.best = state.reach;
      state.best_choices.write(freed);
      return true;
    }
    // what is chosen by itself by then has no place any more
    at += !is_improved;
  }
  return false;
}
KS_CALLS bool is_faulty_with_zeros(const CallOnce &call_once, std::vector<unsigned> numbers, SearchState &state) {
  are_whole_numbers_zero = true;
  state.reach = {};
  state.instance = 0;
  measure_reach(call_once, numbers, nullptr, state);
  are_whole_numbers_zero = false;
  return state.reach.accepted_instances & ~state.reach.clean_instances;
}
// Instances whose faults count, where a size of `separation` becomes another letter. One larger than any that went well tells
// nothing: the kernel may have room for so many only. Nor does one that is no larger than the number that it replaces: a side
// that has to be 3 is too short at 2.
KS_CALLS unsigned list_usual_instances(const Choices &choices, const Separation &separation, const Reach &best) {
  const Size &equal = choices.sizes[separation.equals[0].size];
  const int letter = separation.letter;
  int64_t most = 0;
  unsigned usual = 0;
  for (int instance = 0; instance < instance_count; ++instance) {
    if (best.clean_instances >> instance & 1) most = std::max(most, equal.value(instance));
  }
  for (int instance = 0; instance < instance_count; ++instance) {
    const bool is_usual = equal.is_number() ? letter_values[instance][letter] > equal.value(instance) : letter_values[instance][letter] <= most;
    usual |= static_cast<unsigned>(is_usual) << instance;
  }
  return usual;
}
// Whether the launcher compares a number with the size that it was equal to, as in `TORCH_CHECK(width <= x.size(1))`: it accepts
// what is smaller, and refuses what is larger, or the other way round. The caller may then pass any number that it accepts.
KS_CALLS bool is_held_against_size(const CallOnce &call_once, const Choices &choices, Separation separation) {
  const Size &equal = choices.sizes[separation.equals[0].size];
  if (equal.is_number() || !separation.moves_numbers_alone()) return false;
  const bool is_smaller = letter_values[0][separation.letter] < equal.value(0);
  separation.letter = find_letter_beside(choices, equal, !is_smaller);
  if (separation.letter < 0) return false;
  std::vector<unsigned> numbers = SeparatedNumbers(choices, separation).numbers();
  Choices opposite(numbers, nullptr, 0);
  return !call_once(opposite).is_accepted;
}
// Sizes that are equal in each call hide a kernel that takes one for another. They are parted, and stay so where calls go as well.
// Where a call goes wrong then, whatever its whole numbers are, the fault is the kernel's if the launcher checks shapes and
// accepts the call, and
//   - asks for a size of each part by itself, or
//   - compares a number with the size that it was equal to, or
//   - the equal sizes were special: a square, a side of 1.
// Returns true where it is.
KS_CALLS bool separate_sizes(const CallOnce &call_once, SearchState &state) {
  const clock_t start = clock();
  std::vector<unsigned> numbers, worst;
  Reach worst_reach;
  bool is_changed = true;
  for (unsigned tries = 0; is_changed;) {
    is_changed = false;
    worst.clear();
    const Choices choices = describe_best(call_once, numbers, state);
    for (const Separation &separation : list_separations(choices)) {
      // another way to part them, which is not tried any more, may do better
      if (++tries > most_separated || !is_within(start, changing_seconds)) return false;
      const std::vector<unsigned> separated = SeparatedNumbers(choices, separation).numbers();
      is_changed = improve_call(call_once, separated, state);
      if (is_changed) break;
      const Reach reach = state.reach;
      const bool is_special = reach.is_plainer_than(state.best);
      const bool is_telling = reach.is_as_general_as(state.best) && __builtin_popcount(reach.accepted_instances) >= 3;
      const bool is_asked = is_telling && (asks_for_both(choices, separation) || is_held_against_size(call_once, choices, separation));
      const bool is_any_usual = is_special && choices.sizes[separation.equals[0].size].is_number();
      const unsigned usual = is_any_usual ? ~0u : list_usual_instances(choices, separation, state.best);
      const unsigned faulty = reach.accepted_instances & ~reach.clean_instances & usual;
      if (!reach.is_checked || !faulty || !(is_special || is_asked)) continue;
      if (!worst.empty() && reach.rank() <= worst_reach.rank()) continue;
      if (!is_faulty_with_zeros(call_once, separated, state)) continue;
      worst = separated;
      worst_reach = reach;
    }
  }
  if (worst.empty()) return false;
  state.best = worst_reach;
  state.best_choices.write(worst);
  return true;
}
// Each size goes with another one in all calls where it does so in the first one, by chance or by being a number, and calls go as
// well then: with the first such size or, `is_backward`, with the last.
KS_CALLS bool relate_each(const CallOnce &call_once, SearchState &state, bool are_numbers, bool is_backward) {
  std::vector<unsigned> numbers;
  bool is_changed = false;
  const clock_t start = clock();
  unsigned tries = 0;
  const size_t count = describe_best(call_once, numbers, state).chosen_sizes.size();
  for (size_t second = 1; second < count; ++second) {
    for (size_t place = 0; place < second; ++place) {
      const size_t first = is_backward ? second - 1 - place : place;
      const Choices choices = describe_best(call_once, numbers, state);
      const auto &sizes = choices.chosen_sizes;
      const auto related = keep_relation(choices, sizes[first], sizes[second], are_numbers);
      if (!related) continue;
      if (++tries > most_changed || !is_within(start, changing_seconds)) return is_changed;
      if (!improve_call(call_once, replace_sizes(choices, sizes[first], sizes[second], *related), state)) continue;
      is_changed = true;
      break;
    }
  }
  return is_changed;
}
KS_CALLS void limit_process(double seconds) {
  const itimerval limit = {{0, 0}, {static_cast<time_t>(seconds) + 1, 0}};
  setitimer(ITIMER_PROF, &limit, nullptr);
}
KS_CALLS void loosen_sizes(const CallOnce &call_once, SearchState &state) {
  limit_process(6 * changing_seconds + child_seconds);
  if (state.best.is_clean() && free_sizes(call_once, state)) return;
  if (state.best.is_clean() && separate_sizes(call_once, state)) return;
  for (const bool is_backward : {false, true}) {
    const bool is_good = state.best.is_clean() && !state.best.special_sizes;
    // what is tied by now changes together
    const bool is_changed = relate_each(call_once, state, is_good, is_backward);
    if (is_changed && state.best.is_clean() && free_sizes(call_once, state)) return;
  }
}
// What is refused, now or in most instances, may want sizes that go together.
KS_CALLS void change_call(const CallOnce &call_once, std::vector<unsigned> &numbers, const SearchState &state, std::mt19937 &random) {
  const Reach &best = state.best;
  const bool may_relate = !best.accepted_instances || (best.clean_instances & 1);
  if (!may_relate || random() % 4) return change_choices(numbers, state.best_types.read(), random);
  Choices choices(numbers, nullptr, 0);
  choices.is_reducing = true;
  call_once(choices);
  relate_sizes(numbers, choices, random);
}
KS_CALLS void search_calls(const CallOnce &call_once, SearchState &state) {
  std::mt19937 random(state.seed);
  const clock_t start = clock();
  const auto used_seconds = [start] { return static_cast<double>(clock() - start) / CLOCKS_PER_SEC; };
  while (!state.is_found() && !state.is_given_up(state.seconds + used_seconds()) && used_seconds() < child_seconds) {
    std::vector<unsigned> numbers = state.is_trying ? state.tried_choices.read() : state.best_choices.read();
    const bool is_first = !state.tries++;
    if (state.is_trying) {
      if (state.was_out_of_time) state.note_slow_instance();
      ++state.instance;
    } else {
      if (!is_first) change_call(call_once, numbers, state, random);
      state.reach = {};
      state.instance = 0;
    }
    measure_reach(call_once, numbers, is_first ? nullptr : &random, state);
    const bool was_accepted = state.best.accepted_instances, was_clean = state.best.is_clean();
    const bool is_worse = state.reach.rank() < state.best.rank() || state.reach.hides_race_of(state.best);
    if (is_worse || numbers.size() > most_choices) continue;
    state.best = state.reach;
    state.best_choices.write(numbers);
    state.best_types = state.tried_types;
    // what fits in one instance alone fits by chance
    if (!was_accepted && (state.best.clean_instances & 1) && !state.best.is_clean() && !state.is_plain) loosen_sizes(call_once, state);
    else if (!was_clean && state.best.is_clean() && state.best.special_sizes && !state.is_plain) separate_sizes(call_once, state);
  }
  state.is_done = state.is_found() || state.is_given_up(state.seconds + used_seconds());
  // one that ends the process leaves what was found
  if (state.is_done && (state.best.clean_instances & 1) && !state.is_plain) loosen_sizes(call_once, state);
}
// Tells whether a call at its best goes well where its whole numbers are zero: then what goes wrong is for want of others.
KS_CALLS bool suits_zeros(const CallOnce &call_once, SearchState &state) {
  fflush(nullptr);
  state.is_done = false;
  const pid_t child = fork();
  if (!child) {
    are_whole_numbers_zero = true;
    // what goes wrong may do so in these alone
    state.slow_instances = 0;
    std::vector<unsigned> numbers = state.best_choices.read();
    state.reach = {};
    state.instance = 0;
    measure_reach(call_once, numbers, nullptr, state);
    state.is_done = state.reach.accepted_instances && state.reach.accepted_instances == state.reach.clean_instances;
    _exit(0);
  }
  if (child > 0) waitpid(child, nullptr, 0);
  return state.is_done;
}
KS_CALLS double to_seconds(const timeval &time) { return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec); }
KS_CALLS void print_best(const char *word, const SearchState &state) {
  // all that is made of a call is made several times
  const unsigned kept = ~(state.slow_instances & state.best.clean_instances);
  printf("\nkernelset-call %s %u %u %u %u ", word, state.best.accepted_instances & kept, state.best.clean_instances & kept,
         state.best.is_checked + 2 * state.best.is_measured, state.evaluations);
  const WrittenChoices &best = state.best_choices;
  for (size_t at = 0; at < best.count; ++at) printf("%s%u", at ? "," : "", best.numbers[at]);
  printf("\n");
}
KS_CALLS void print_search(const CallOnce &call_once) {
  void *place = mmap(nullptr, sizeof(SearchState), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (place == MAP_FAILED) return;
  SearchState &state = *new (place) SearchState();
  rusage usage;
  do {
    fflush(nullptr);
    ++state.seed;
    const pid_t child = fork();
    if (!child) {
      limit_process(child_seconds);
      before_end = note_fatal_attempt;
      search_calls(call_once, state);
      _exit(0);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) break;
    state.was_out_of_time = WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF;
    getrusage(RUSAGE_CHILDREN, &usage);
    state.seconds = to_seconds(usage.ru_utime) + to_seconds(usage.ru_stime);
    // a machine that has others to serve may end the search by the clock
    if (state.best.is_clean()) print_best("clean", state);
  } while (!state.is_done && state.seed < most_children && !state.is_given_up(state.seconds));

  const bool is_clean = state.best.is_clean();
  const bool wants_contents = !is_clean && state.best.accepted_instances && state.best.is_checked && suits_zeros(call_once, state);
  const char *word = wants_contents ? "open" : is_clean ? "clean" : state.best.accepted_instances ? "faulty" : state.has_refused_type ? "refused" : "none";
  print_best(word, state);
}

}  // namespace kernelset::torch_calls
