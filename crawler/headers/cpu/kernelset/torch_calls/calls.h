// Calls of a launcher that a project has, with tensors made for its checks. A search changes choices as long as a call comes
// further: through more of the launcher's checks, then to a launch, then to more instances whose launches show nothing wrong.
//
//   KERNELSET_CALL=search                    print the best choices that were found
//   KERNELSET_CALL=INSTANCES,CHOICE,…        make these calls, each a test of the log; a bit an instance
//   KERNELSET_CONTENTS=1                     with numbers below zero among what tensors and pointers hold; 2 to 7: see `Strain`
//
// A call that ends the process is given up: the search goes on in a child process of its own.
#pragma once
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <functional>
#include <random>
#include <sstream>

KS_RUNTIME_BEGIN
#include <kernelset/torch_calls/values.h>

#include <kernelset/torch_calls/tensors.h>

#include <kernelset/torch_calls/operators.h>

#include <kernelset/torch_calls/choices.h>

#include <kernelset/torch_calls/relations.h>

#include <kernelset/torch_calls/arguments.h>

#include <kernelset/torch_calls/pointers.h>

namespace kernelset::torch_calls {

struct Attempt {
  bool is_accepted;  // it came to its end and launched a kernel
  bool is_faulty;
  unsigned checks, questions, special_sizes, tied_sizes, fixed_sides;
  bool has_fixed_sizes, has_shared_race;
  size_t asked_bytes, thread_starts;
  bool is_checked;  // whether checks asked for the shape of each tensor
  bool has_empty_tensor;
};
// what a call returns as tensors, in its order
KS_CALLS void list_results(const at::Tensor &result, std::vector<at::Tensor> &all) {
  if (result.defined()) all.push_back(result);
}
template <class T> void list_results(const T &, std::vector<at::Tensor> &) {}
template <class T> void list_results(const std::vector<T> &results, std::vector<at::Tensor> &all) {
  for (const T &each : results) list_results(each, all);
}
template <class... T> void list_results(const std::tuple<T...> &results, std::vector<at::Tensor> &all) {
  std::apply([&](const auto &...each) { (list_results(each, all), ...); }, results);
}
template <class T, class U> void list_results(const std::pair<T, U> &results, std::vector<at::Tensor> &all) {
  list_results(results.first, all);
  list_results(results.second, all);
}
// Whether one of them counts what another one holds: then the rest of that one may be left as it was.
KS_CALLS bool holds_count(const std::vector<at::Tensor> &results) {
  return std::any_of(results.begin(), results.end(),
                     [](const at::Tensor &each) { return each.numel() == 1 && !c10::isFloatingType(each.scalar_type()); });
}
// Where calls are told of, what each leaves is a part of what it prints: that shows what nobody has written there.
template <class Launcher, class... A> void call_and_show(Choices &choices, Launcher launcher, A &&...arguments) {
  using Result = decltype(launcher(static_cast<A &&>(arguments)...));
  unsigned long long digest = 0;
  if constexpr (std::is_void_v<Result>) {
    launcher(static_cast<A &&>(arguments)...);
  } else {
    const Result result = launcher(static_cast<A &&>(arguments)...);
    std::vector<at::Tensor> tensors;
    if (choices.is_described) list_results(result, tensors);
    if (holds_count(tensors)) tensors.clear();
    for (const at::Tensor &each : tensors) {
      const std::vector<char> bytes = read_bytes(each);
      digest ^= digest_bytes(bytes.data(), bytes.size()) + digest * 31;
    }
  }
  if (choices.is_described) printf("\nkernelset-left %016llx\n", digest ^ digest_given());
}
// A call that is being made, and what had been counted when it began.
struct RunningCall {
  Choices &choices;
  std::string description;
  unsigned launches = finished_launches, faulty = faulty_launches, racing = racing_launches, checks = checks_begun, questions = questions_asked;
  size_t asked_bytes = allocated_bytes, thread_starts = started_threads;
  bool has_launched() const { return finished_launches > launches; }
  bool has_fault() const { return faulty_launches > faulty; }
  Attempt describe(bool is_accepted, bool is_faulty) const {
    const auto &tensors = choices.tensors;
    // a tensor beside which nothing is counted fits whatever shape it has
    const bool is_alone = tensors.size() == 1 && !choices.has_integers;
    const bool is_checked =
        is_alone || std::all_of(tensors.begin(), tensors.end(), [](const auto &each) { return each.ks_state->is_shape_checked; });
    const bool has_empty_tensor = std::any_of(tensors.begin(), tensors.end(), [](const auto &each) { return !each.numel(); });
    return {is_accepted, is_faulty, checks_begun - checks, questions_asked - questions, choices.special_sizes, choices.tied_sizes,
            choices.fixed_sides, choices.has_fixed_sizes, racing_launches > racing, allocated_bytes - asked_bytes, started_threads - thread_starts, is_checked, has_empty_tensor};
  }
};
inline const RunningCall *running_call;
template <class Result, class... A> Attempt call_launcher(Result (*launcher)(A...), Choices &choices) {
  RunningCall call{choices};
  running_call = &call;
  bool is_refused = false;
  is_in_check = false;
  choices.is_plain = !(IsOfTensors<KeptOf<A>>::value || ...);
  given_memory().clear();
  is_caller_memory_exceeded = is_launch_refused = false;
  try {
    std::tuple<KeptOf<A>...> values{make_argument<A>(choices)...};
    choices.describe() << ")";
    call.description = choices.description.str();
    std::vector<int64_t> sizes;
    for (const Size &size : choices.sizes) sizes.push_back(size.value(choices.instance));
    strain_span = 1;
    for (const int64_t size : sizes) strain_span = std::max(strain_span, size);
    edge_value = find_edge(std::move(sizes));
    fill_given();
    // what making the arguments asked for was no question of the launcher
    call.questions = questions_asked;
    std::apply([&](auto &...each) { call_and_show(choices, launcher, static_cast<A>(each)...); }, values);
  } catch (const std::exception &) {
    is_refused = true;
  }
  is_refused |= is_caller_memory_exceeded || is_launch_refused;
  running_call = nullptr;
  const Attempt attempt = call.describe(!is_refused && call.has_launched(), call.has_fault());
  choices.tensors.clear();
  return attempt;
}

// A call of the launcher by choices: what does not depend on its type is compiled once, with the headers.
using CallOnce = std::function<Attempt(Choices &)>;

// how far choices lead; the larger, the better
struct Reach {
  unsigned checks = 0, questions = 0, special_sizes = 0, tied_sizes = 0;
  unsigned fixed_sides = 0;
  bool is_checked = false, has_empty_tensor = false, has_shared_race = false;
  unsigned accepted_instances = 0, clean_instances = 0;  // a bit an instance
  bool is_clean() const { return __builtin_popcount(accepted_instances) >= 3 && accepted_instances == clean_instances; }
  // whether sizes are no more special than those of others, in most of their instances
  bool is_as_free_as(const Reach &other) const {
    const bool is_general = special_sizes <= other.special_sizes && tied_sizes <= other.tied_sizes && is_checked >= other.is_checked;
    return is_general && 2 * __builtin_popcount(accepted_instances) >= __builtin_popcount(other.accepted_instances);
  }
  // No check wants threads to race for shared memory: sides that are numbers would only hide it.
  bool hides_race_of(const Reach &other) const { return other.has_shared_race && fixed_sides > other.fixed_sides; }
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
    return (1ul << 48) + (is_telling << 47) + (plain_sizes << 40) + (cleans << 32) + (free_sizes << 16) + instances;
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
constexpr unsigned most_changed = 24;
constexpr double changing_seconds = 1.5;
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
  unsigned seed, tries, evaluations, first_accepted;
  size_t first_threads;  // of the first instance of the choices that are tried
  double seconds;  // of the processor, of children that have ended
  bool is_done;
  bool is_found() const {
    return best.is_clean() && ((!best.special_sizes && !best.tied_sizes) || tries > first_accepted + more_tries);
  }
  // of a launcher that does not check what it is given, nothing that goes wrong tells
  bool is_of_no_use() const { return best.accepted_instances && !best.is_checked; }
  // nor is there much to find out of one that takes plain pointers
  bool is_plain;
  bool is_given_up(double seconds) const {
    const double most_seconds = is_of_no_use() ? few_seconds : is_plain ? plain_seconds : search_seconds;
    const unsigned most = is_of_no_use() ? few_evaluations : is_plain ? plain_evaluations : most_evaluations;
    // a slow machine is to come to the same answer
    const bool may_tell_soon = best.accepted_instances && best.is_checked && evaluations < telling_evaluations;
    return seconds > (may_tell_soon ? 2 : 1) * most_seconds || tries >= most_tries || evaluations >= most;
  }
  // what was tried when it ended: the same choices go on with the instance behind the one that did it
  bool is_trying, has_fixed_sizes;
  WrittenChoices tried_choices, tried_types;
  Reach reach;
  int instance;
};

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
    reach.has_empty_tensor = attempt.has_empty_tensor;
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
    if (is_first) state.has_fixed_sizes = false;
    Choices choices(numbers, random, state.instance);
    most_started_threads = is_first ? ~size_t(0) : started_threads + std::max(many_threads, many_times * state.first_threads);
    state_of_call = &state;
    const Attempt attempt = call_once(choices);
    state_of_call = nullptr;
    most_started_threads = ~size_t(0);
    note_attempt(attempt, choices, state);
    if (is_first && !attempt.is_accepted) break;
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
KS_CALLS bool is_within(clock_t start, double seconds) { return static_cast<double>(clock() - start) < seconds * CLOCKS_PER_SEC; }
// Sizes that are equal in each call may hide what is done with one in place of the other: each is chosen by itself where calls
// go as well then.
KS_CALLS void free_sizes(const CallOnce &call_once, SearchState &state) {
  size_t at = 0;
  const clock_t start = clock();
  for (unsigned tries = 0; tries < most_changed && is_within(start, changing_seconds); ++tries) {
    std::vector<unsigned> numbers;
    const std::vector<unsigned> freed = free_tied_size(describe_best(call_once, numbers, state), at);
    if (freed.empty()) return;
    // what is chosen by itself by then has no place any more
    at += !improve_call(call_once, freed, state);
  }
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
  limit_process(5 * changing_seconds + child_seconds);
  if (state.best.is_clean()) free_sizes(call_once, state);
  for (const bool is_backward : {false, true}) {
    const bool is_good = state.best.is_clean() && !state.best.special_sizes;
    // what is tied by now changes together
    if (relate_each(call_once, state, is_good, is_backward) && state.best.is_clean()) free_sizes(call_once, state);
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
      ++state.instance;
    } else {
      if (!is_first) change_call(call_once, numbers, state, random);
      state.reach = {};
      state.instance = 0;
    }
    measure_reach(call_once, numbers, is_first ? nullptr : &random, state);
    const bool was_accepted = state.best.accepted_instances;
    const bool is_worse = state.reach.rank() < state.best.rank() || state.reach.hides_race_of(state.best);
    if (is_worse || numbers.size() > most_choices) continue;
    state.best = state.reach;
    state.best_choices.write(numbers);
    state.best_types = state.tried_types;
    // what fits in one instance alone fits by chance
    if (!was_accepted && (state.best.clean_instances & 1) && !state.best.is_clean() && !state.is_plain) loosen_sizes(call_once, state);
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
    if (child < 0 || waitpid(child, nullptr, 0) != child) break;
    getrusage(RUSAGE_CHILDREN, &usage);
    state.seconds = to_seconds(usage.ru_utime) + to_seconds(usage.ru_stime);
  } while (!state.is_done && state.seed < most_children && !state.is_given_up(state.seconds));

  const bool is_clean = state.best.is_clean();
  const bool wants_contents = !is_clean && state.best.accepted_instances && state.best.is_checked && suits_zeros(call_once, state);
  const char *word = wants_contents ? "open" : is_clean ? "clean" : state.best.accepted_instances ? "faulty" : "none";
  printf("\nkernelset-call %s %u %u %u %u ", word, state.best.accepted_instances, state.best.clean_instances,
         state.best.is_checked, state.evaluations);
  const WrittenChoices &best = state.best_choices;
  for (size_t at = 0; at < best.count; ++at) printf("%s%u", at ? "," : "", best.numbers[at]);
  printf("\n");
}
KS_CALLS void print_call(int test, bool is_accepted, const std::string &description) {
  printf("\nkernelset-test %d %d %s\n", test, is_accepted, description.c_str());
  fflush(stdout);
}
KS_CALLS void print_fatal_call() {
  if (running_call && is_running_launch_faulty()) print_call(running_call->choices.instance + 1, true, running_call->description);
}
KS_CALLS void repeat_calls(const CallOnce &call_once, const char *name, const char *call_text) {
  std::istringstream words(call_text);
  unsigned instances = 0, number = 0;
  char comma;
  words >> instances;
  std::vector<unsigned> numbers;
  while (words >> comma >> number) numbers.push_back(number);

  // what a kernel does under strain is held against what other strains show: one that ends it shows too little
  if (strain == Strain::none) before_end = print_fatal_call;
  for (int at = 0; at < count_rounds(strain) * instance_count; ++at) {
    const int instance = at % instance_count, test = at + 1;
    strain_round = at / instance_count;
    if (!(instances >> instance & 1)) continue;
    Choices choices(numbers, nullptr, instance);
    choices.is_described = true;
    choices.describe() << name << "(";
    begin_test(test);
    const Attempt attempt = call_once(choices);
    print_call(test, attempt.is_accepted, choices.description.str());
  }
}
template <class Launcher> int drive(Launcher launcher, const char *name, std::vector<int64_t> numbers) {
  written_numbers() = std::move(numbers);
  const char *call = getenv("KERNELSET_CALL"), *contents = getenv("KERNELSET_CONTENTS");
  strain = static_cast<Strain>(contents ? atoi(contents) % 8 : 0);
  is_tail_owned = strain >= Strain::negative && strain <= Strain::edge;
  is_front_closed = !is_tail_owned;
  const CallOnce call_once = [launcher](Choices &choices) { return call_launcher(launcher, choices); };
  if (!call || !strcmp(call, "search")) print_search(call_once);
  else repeat_calls(call_once, name, call);
  return 0;
}

}  // namespace kernelset::torch_calls
KS_RUNTIME_END
