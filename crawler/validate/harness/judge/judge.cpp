// Builds the candidate for one kernel, runs it on every case, and ends with 0 where all that came out is right: with 1
// where it is not, with 2 where nothing could be judged.
#include "options.h"
#include "report.h"

namespace {

int judged(const test::Options& options) {
  const auto task = std::make_shared<const test::Task>(options.setup);
  bool is_right = true;
  for (const std::string& candidates : options.candidates) {
    const test::Judge judge(task, candidates, options.seed);
    test::Report report(options);
    report.begin(judge.problem());
    bool is_late = false;
    for (size_t number = 0; judge.problem().empty() && number < judge.case_count(); ++number) {
      // whoever hangs once would hang in each case, and cost as many times its seconds
      if (is_late) {
        report.add(judge.case_name(number), "it was not run: an earlier case took too long", false);
        continue;
      }
      std::string wrong = judge.judge_shown(number);
      const bool is_shown_right = wrong.empty();
      if (is_shown_right) wrong = judge.judge_fresh(number, report.fresh_count);
      is_late = wrong.find(test::too_long) != std::string::npos;
      report.add(judge.case_name(number), wrong, is_shown_right);
    }
    if (options.setup.counts_steps && report.is_right()) report.steps = judge.count_steps();
    is_right &= report.end(candidates);
    test::elapsed() = {};
  }
  return is_right ? 0 : 1;
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
