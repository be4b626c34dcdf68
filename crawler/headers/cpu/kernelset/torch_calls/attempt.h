// One call of a launcher: what it was given, and what it showed.
#pragma once

namespace kernelset::torch_calls {

struct Attempt {
  bool is_accepted;  // it came to its end and launched a kernel
  bool is_faulty;
  unsigned checks, questions, special_sizes, tied_sizes, fixed_sides;
  bool has_fixed_sizes, has_shared_race, has_missing_call, has_refused_type;
  size_t asked_bytes, thread_starts;
  bool is_checked;  // whether checks asked for the shape of each tensor
  bool has_empty_tensor;
  bool uses_all;  // whether it looked at what each tensor holds
  bool checks_contents;  // whether checks looked at what each tensor of whole numbers holds
  bool is_measured;  // whether the launcher checked the shape of each tensor, or asked for all of it
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
// is given what a call returned, while all tensors are still there
inline std::function<void(const std::vector<at::Tensor> &returned)> before_tensors_go;
inline bool is_call_ended;  // whether the last one came to its end
// Where calls are told of, what each leaves is a part of what it prints: that shows what nobody has written there.
template <class Launcher, class... A> void call_and_show(Choices &choices, Launcher launcher, A &&...arguments) {
  using Result = decltype(launcher(static_cast<A &&>(arguments)...));
  unsigned long long digest = 0;
  if constexpr (std::is_void_v<Result>) {
    launcher(static_cast<A &&>(arguments)...);
    if (before_tensors_go) before_tensors_go({});
  } else {
    const Result result = launcher(static_cast<A &&>(arguments)...);
    std::vector<at::Tensor> tensors;
    if (choices.is_described || before_tensors_go) list_results(result, tensors);
    if (before_tensors_go) before_tensors_go(tensors);
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
  unsigned missing = missing_calls, refused = refused_types;
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
    const bool uses_all = std::all_of(tensors.begin(), tensors.end(), [](const auto &each) { return each.ks_state->storage->is_used(); });
    const auto is_checked_inside = [](const auto &each) { return each.is_floating_point() || each.ks_state->storage->is_read_by_check; };
    const bool checks_contents = std::all_of(tensors.begin(), tensors.end(), is_checked_inside) &&
                                 !std::all_of(tensors.begin(), tensors.end(), [](const auto &each) { return each.is_floating_point(); });
    const bool is_measured = is_checked || std::all_of(tensors.begin(), tensors.end(), [](const auto &each) {
      return each.ks_state->is_shape_checked || each.ks_state->is_measured();
    });
    return {is_accepted, is_faulty, checks_begun - checks, questions_asked - questions, choices.special_sizes, choices.tied_sizes,
            choices.fixed_sides, choices.has_fixed_sizes, racing_launches > racing, missing_calls > missing, refused_types > refused,
            allocated_bytes - asked_bytes, started_threads - thread_starts, is_checked, has_empty_tensor, uses_all, checks_contents, is_measured};
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
  is_call_ended = !is_refused;
  running_call = nullptr;
  const Attempt attempt = call.describe(!is_refused && call.has_launched(), call.has_fault());
  for (const at::Tensor &each : choices.tensors) choices.asked_axes.push_back(each.ks_state->asked_axes);
  choices.tensors.clear();
  return attempt;
}

// A call of the launcher by choices: what does not depend on its type is compiled once, with the headers.
using CallOnce = std::function<Attempt(Choices &)>;

}  // namespace kernelset::torch_calls
