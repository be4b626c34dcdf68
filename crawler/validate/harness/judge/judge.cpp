// Builds the candidate for one kernel, runs it on every case, and ends with 0 where all that came out is right: with 1
// where it is not, with 2 where nothing could be judged.
#include "options.h"

namespace {

int judged(const test::Options& options) {
  const test::Judge judge(options.setup, options.seed);
  printf("%s: built by %s; kept in by %s; fresh inputs drawn from --seed %llu\n", options.setup.name.c_str(),
         options.setup.compiler.c_str(), test::barrier_names[int(options.setup.barrier)], (unsigned long long)options.seed);
  if (options.setup.barrier == test::Barrier::none) printf("Nothing keeps it in: a kernel may read any file of yours.\n");
  if (!judge.problem().empty()) {
    printf("[FAILED] %s\n", judge.problem().c_str());
    return 1;
  }
  int failed = 0, fresh = 0;
  for (size_t number = 0; number < judge.case_count(); ++number) {
    std::string wrong = judge.judge_shown(number);
    if (wrong.empty()) wrong = judge.judge_fresh(number, fresh);
    printf("%s %s%s%s\n", wrong.empty() ? "[  ok  ]" : "[FAILED]", judge.case_name(number).c_str(), wrong.empty() ? "" : ": ", wrong.c_str());
    failed += !wrong.empty();
  }
  printf("%d of %zu cases failed; %d fresh inputs were compared.\n", failed, judge.case_count(), fresh);
  return failed != 0;
}

}  // namespace

int main(int count, char** words) {
  signal(SIGPIPE, SIG_IGN);
  test::guard_this_process();
  try {
    return judged(test::read_options(count, words));
  } catch (const std::exception& problem) {
    printf("Nothing was judged: %s\n", problem.what());
    return 2;
  }
}
