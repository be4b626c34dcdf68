// Calls of a launcher that a project has, with tensors made for its checks. A search changes choices as long as a call comes
// further: through more of the launcher's checks, then to a launch, then to more instances whose launches show nothing wrong.
//
//   KERNELSET_CALL=search                    print the best choices that were found
//   KERNELSET_CALL=INSTANCES,CHOICE,…        make these calls, each a test of the log; a bit an instance
//   KERNELSET_CONTENTS=1                     with numbers below zero among what tensors and pointers hold; 2 to 17: see `Strain`
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

#include <kernelset/torch_calls/missing.h>

#include <kernelset/torch_calls/tensors.h>

#include <kernelset/torch_calls/elements.h>

#include <kernelset/torch_calls/factories.h>

#include <kernelset/torch_calls/operators.h>

#include <kernelset/torch_calls/reductions.h>

#include <kernelset/torch_calls/selections.h>

#include <kernelset/torch_calls/products.h>

#include <kernelset/torch_calls/choices.h>

#include <kernelset/torch_calls/relations.h>

#include <kernelset/torch_calls/separations.h>

#include <kernelset/torch_calls/arguments.h>

#include <kernelset/torch_calls/pointers.h>

#include <kernelset/torch_calls/attempt.h>

#include <kernelset/torch_calls/host_paths.h>

#include <kernelset/torch_calls/search_state.h>

#include <kernelset/torch_calls/search.h>

namespace kernelset::torch_calls {

// 0: the launcher refuses it; 1: it accepts it; 2: it accepts it, and has looked at all whole numbers in tensors
KS_CALLS void print_call(int test, const Attempt &attempt, const std::string &description) {
  printf("\nkernelset-test %d %d %s\n", test, attempt.is_accepted ? 1 + attempt.checks_contents : 0, description.c_str());
  fflush(stdout);
}
KS_CALLS void print_fatal_call() {
  if (!running_call || !is_running_launch_faulty()) return;
  const int test = strain_round * instance_count + running_call->choices.instance + 1;
  print_call(test, running_call->describe(true, true), running_call->description);
}
// Calls in which one number is as large as a size of the call that the launcher holds it against: it refuses the next number.
constexpr size_t most_raised = 3;
KS_CALLS void raise_numbers(const CallOnce &call_once, const char *name, std::vector<unsigned> numbers, int instance) {
  const auto call = [&](Choices &choices, int test) {
    choices.is_described = test;
    if (test) choices.describe() << name << "(";
    begin_test(test);
    return call_once(choices);
  };
  Choices plain(numbers, nullptr, instance);
  call(plain, 0);
  std::vector<int64_t> sizes;
  for (const Size &size : plain.sizes) sizes.push_back(size.value(instance));
  std::sort(sizes.rbegin(), sizes.rend());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  before_end = print_fatal_call;
  for (size_t at = 0; at < std::min(plain.integers.size(), most_raised); ++at) {
    strain_round = static_cast<int>(at);
    for (const int64_t size : sizes) {
      if (size <= plain.integers[at]) break;
      Choices beyond(numbers, nullptr, instance), raised(numbers, nullptr, instance);
      beyond.raised_integer = raised.raised_integer = at;
      beyond.raised_to = size + 1;
      raised.raised_to = size;
      const unsigned missing = missing_calls;
      call(beyond, 0);
      const bool is_held = !is_call_ended && !is_launch_refused && !is_caller_memory_exceeded && missing_calls == missing;
      if (!is_held) continue;
      const int test = static_cast<int>(at) * instance_count + instance + 1;
      const Attempt attempt = call(raised, test);
      if (attempt.is_accepted) print_call(test, attempt, raised.description.str());
      if (attempt.is_accepted) break;
    }
  }
}
KS_CALLS void repeat_calls(const CallOnce &call_once, const CallOnce &call_host, const char *name, const char *call_text) {
  std::istringstream words(call_text);
  unsigned instances = 0, number = 0;
  char comma;
  words >> instances;
  std::vector<unsigned> numbers;
  while (words >> comma >> number) numbers.push_back(number);

  if (strain == Strain::most) {
    for (int instance = 0; instance < instance_count; ++instance) {
      if (instances >> instance & 1) raise_numbers(call_once, name, numbers, instance);
    }
    return;
  }
  // what a kernel does under strain is held against what other strains show: one that ends it shows too little
  if (strain == Strain::none || strain == Strain::varied) before_end = print_fatal_call;
  for (int at = 0; at < count_rounds(strain) * instance_count; ++at) {
    const int instance = at % instance_count, test = at + 1;
    strain_round = at / instance_count;
    if (!(instances >> instance & 1)) continue;
    Choices choices(numbers, nullptr, instance);
    choices.is_described = true;
    choices.describe() << name << "(";
    begin_test(test);
    Attempt attempt = call_once(choices);
    // without a multiple it is a call as any other
    const bool has_multiple = std::any_of(choices.sizes.begin(), choices.sizes.end(), [](const Size &each) { return each.is_multiple(); });
    attempt.is_accepted &= strain != Strain::uneven || has_multiple;
    print_call(test, attempt, choices.description.str());
  }
  // a host's function is not kept from ending the process
  is_host_compared = strain == Strain::redrawn;
  for (strain_round = 0; is_host_compared && strain_round < real_kinds; ++strain_round) {
    for (int instance = 0; instance < instance_count; ++instance) {
      const int test = strain_round % count_rounds(strain) * instance_count + instance + 1;
      if (instances >> instance & 1) compare_with_host(call_once, call_host, numbers, instance, test);
    }
  }
}
// A function that may compute the same for tensors of a CPU: nothing where it takes something else.
template <class Launcher> struct HostPath {
  // so that the launcher's type is told by the launcher alone
  using Same = HostPath;
  Launcher function = nullptr;
  HostPath(Launcher same) : function(same) {}
  HostPath(...) {}
};
template <class Launcher>
int drive(Launcher launcher, const char *name, std::vector<int64_t> numbers, std::vector<std::string> words,
          std::vector<int64_t> compared, bool compares_letters, const typename HostPath<Launcher>::Same &host_path = nullptr) {
  written_numbers() = std::move(numbers);
  written_words() = std::move(words);
  compared_numbers() = std::move(compared);
  are_letters_compared = compares_letters;
  const char *call = getenv("KERNELSET_CALL"), *contents = getenv("KERNELSET_CONTENTS");
  strain = static_cast<Strain>(contents ? atoi(contents) % strain_count : 0);
  rest_of_multiples = strain == Strain::uneven;
  is_tail_owned = strain >= Strain::negative && strain <= Strain::edge;
  is_front_closed = !is_tail_owned;
  const CallOnce call_once = [launcher](Choices &choices) { return call_launcher(launcher, choices); };
  const Launcher host = host_path.function ? host_path.function : launcher;
  const CallOnce call_host = [host](Choices &choices) { return call_launcher(host, choices); };
  if (!call || !strcmp(call, "search")) print_search(call_once);
  else repeat_calls(call_once, call_host, name, call);
  return 0;
}

}  // namespace kernelset::torch_calls
KS_RUNTIME_END
