// Judges a candidate: its outputs beside the golds of the cases that are shown, and beside those of the reference for
// inputs that are drawn now. What the candidate says of itself counts for nothing.
#pragma once
#include <memory>

#include "build.h"
#include "overflow.h"

namespace test {

constexpr int fresh_inputs = 2;  // of each case
constexpr uint64_t case_stride = 1000;

// lines of a stranger's, marked as such and of plain characters
static std::string quoted(const std::string& text) {
  std::string all;
  for (char c : text.substr(0, 4000)) {
    if (all.empty() || all.back() == '\n') all += "  | ";
    all += c == '\n' || (c >= ' ' && c <= '~') ? c : '?';
  }
  return all;
}

// The cases of a kernel and its reference, which all of its candidates are held against.
struct Task {
  const Setup setup;
  const Suite suite;
  const Size sizes;
  std::shared_ptr<const Runner> reference;
  mutable std::shared_ptr<const Runner> counting_;

  explicit Task(const Setup& given)
      : setup(given), suite(CaseReader(given.folder + "/judge", given.name).read()), sizes(suite.cases) {
    const std::string own = path_of_reference();
    if (setup.backend != "cpu" && setup.backend != suite.language) throw Unfit("it is " + suite.language + ", and no " + setup.backend);
    if (checksum_of(text_of(own)) != suite.checksum) throw Unfit(own + " was changed: it is the reference, a candidate lies elsewhere");
    reference = std::make_shared<Runner>(setup, suite, own);
    if (!reference->problem().empty()) throw Unfit("the reference itself: " + quoted(reference->problem()));
  }
  // What the reference takes for a case; negative where that cannot be told. It is asked of candidates that are right.
  long long steps(size_t number) const {
    if (!counting_) counting_ = std::make_shared<Runner>(setup, suite, path_of_reference(), Purpose::steps);
    return steps_of(*counting_, suite.cases[number]);
  }
  static long long steps_of(const Runner& counting, const Case& one) {
    if (!counting.problem().empty()) return -1;
    unsigned long long steps = 0;
    const size_t size = size_of_images(one);
    const Ended ended = counting.run(message_of(one, images_before(one)), size + sizeof(steps));
    if (!ended.is_good() || ended.output.size() != size + sizeof(steps)) return -1;
    memcpy(&steps, ended.output.data() + size, sizeof(steps));
    return (long long)steps;
  }
  std::string path_of_reference() const { return setup.folder + "/kernels/" + suite.runner; }
};

// of all cases that are shown, by a candidate and by the reference; negative where that cannot be told
struct Steps {
  long long own = -1, reference = -1;
};

class Judge {
 public:
  Judge(const Setup& setup, uint64_t seed) : Judge(std::make_shared<Task>(setup), setup.candidates, seed) {}
  Judge(std::shared_ptr<const Task> task, const std::string& candidates, uint64_t seed)
      : task_(task), setup_(task->setup), suite_(task->suite), sizes_(task->sizes), seed_(seed), file_(candidates + "/" + suite_.runner),
        reference_(task->reference) {
    candidate_ = reference_;
    if (text_of(file_) != text_of(task->path_of_reference())) candidate_ = std::make_shared<Runner>(setup_, suite_, file_);
  }

  size_t case_count() const { return suite_.cases.size(); }
  const std::string& case_name(size_t number) const { return suite_.cases[number].name; }
  // of a candidate that is right
  Steps count_steps() const {
    const Runner counting(setup_, suite_, file_, Purpose::steps);
    Steps all = {0, 0};
    for (size_t number = 0; number < case_count(); ++number) {
      const long long own = Task::steps_of(counting, suite_.cases[number]), reference = task_->steps(number);
      if (own < 0 || reference < 0) return {};
      all.own += own;
      all.reference += reference;
    }
    return all;
  }
  // why no case can be run; empty where they can
  std::string problem() const { return quoted(candidate_->problem()); }

  // empty where every output of a case is right, else what is wrong
  std::string judge_shown(size_t number) const {
    const Case& one = suite_.cases[number];
    Images after;
    std::string wrong = run(*candidate_, one, images_before(one), after);
    if (wrong.empty()) wrong = hold_against(one, golden_images(one), after);
    if (wrong.empty() || candidate_ == reference_) return wrong;
    // a compiler or a machine may be unlike that of the golds: that is not the candidate's fault, and shows nothing good
    Images own;
    const std::string reference_wrong = run(*reference_, one, images_before(one), own);
    const bool reference_is_right = reference_wrong.empty() && compared(one, golden_images(one), own).empty();
    return reference_is_right ? wrong : wrong + " (the reference does not pass here either)";
  }

  // the same for inputs of this case that are drawn now; `compared_count` grows by those that were held against each other
  std::string judge_fresh(size_t number, int& compared_count) const {
    for (int round = 0; round < fresh_inputs + 1; ++round) {
      Draw draw(seed_ + case_stride * number + uint64_t(round));
      const bool is_resized = round == fresh_inputs;
      if (is_resized && !sizes_.has_smaller(suite_.cases[number])) continue;
      Case fresh = fresh_case(suite_.cases, number, draw);
      if (is_resized) sizes_.draw_smaller(fresh, draw);
      Images expected, after;
      if (!run_reference(fresh, expected)) continue;
      std::string wrong = run(*candidate_, fresh, images_before(fresh), after);
      if (wrong.empty()) wrong = hold_against(fresh, expected, after);
      if (!wrong.empty()) return "with fresh inputs: " + wrong;
      ++compared_count;
    }
    return "";
  }

 private:
  // empty where a runner gave back all of its buffers and ended well
  std::string run(const Runner& runner, const Case& one, const Images& before, Images& after) const {
    if (!runner.problem().empty()) return "there is no program";
    const size_t size = size_of_images(one);
    const Ended ended = runner.run(message_of(one, before), size);
    if (ended.output.size() > size) return "more came out than its buffers";
    if (!ended.is_good()) return ended.reason() + "\n" + quoted(ended.errors);
    if (ended.output.size() < size) return "less came out than its buffers";
    after = split_images(one, ended.output);
    return "";
  }
  // empty where `after` is right: bit by bit, as another order of the same arithmetic is, or wherever nothing overflows
  std::string hold_against(const Case& one, const Images& expected, const Images& after) const {
    std::string wrong = compared(one, expected, after);
    if (wrong.empty()) return wrong;
    std::vector<Images> outputs;
    for (int round = 0; round < rounded_runs; ++round) {
      Draw draw(seed_ + uint64_t(round));
      add_output(outputs, rounded(one, draw));
    }
    const Case wide = widened(one, expected, outputs);
    wrong = compared(wide, expected, after);
    if (wrong.empty() || !has_extremes(one)) return wrong;

    const Overflows overflows(one, expected, outputs);
    if (!compared(wide, expected, overflows.without_infinite(after)).empty()) return wrong;
    std::string still_wrong = wrong;
    for (int round = 0; round < strained_runs && !still_wrong.empty(); ++round) {
      Draw draw(seed_ + uint64_t(round));
      add_output(outputs, strained(one, round % 4 == 0, draw));
      if (round % 8 == 7) still_wrong = compared(wide, expected, overflows.without_overflows(after));
    }
    if (!still_wrong.empty() || overflows.leave_half()) return still_wrong;
    // what is passed over proves nothing of a candidate, and here that is most of it
    return judge_tamed(one, wrong);
  }
  // the same for a case without the numbers that overflow; `wrong` where the reference cannot be run on that
  std::string judge_tamed(const Case& one, const std::string& wrong) const {
    Draw draw(seed_);
    const Case tame = tamed(one, draw);
    Images expected, after;
    if (!run_reference(tame, expected)) return wrong;
    const std::string run_wrong = run(*candidate_, tame, images_before(tame), after);
    // nothing is extreme any more: nothing is passed over
    const std::string tame_wrong = run_wrong.empty() ? hold_against(tame, expected, after) : run_wrong;
    return tame_wrong.empty() ? "" : "with numbers that do not overflow: " + tame_wrong;
  }
  // what the reference makes of a case; nothing where it does not end well
  void add_output(std::vector<Images>& outputs, const Case& one) const {
    Images output;
    if (run(*reference_, one, images_before(one), output).empty()) outputs.push_back(output);
  }
  // Drawn inputs may be none that a kernel is made for: false unless it stays within its buffers, and what comes out is
  // the same whatever lies beyond them.
  bool run_reference(const Case& one, Images& expected) const {
    Images images[2];
    for (int second = 0; second < 2; ++second) {
      const Images before = images_before(one, second);
      if (!run(*reference_, one, before, images[second]).empty()) return false;
      blank_addresses(one, images[second]);
      for (size_t at = 0; at < before.size(); ++at) {
        for (size_t byte = 0; byte < before[at].size(); ++byte) {
          const bool outside = is_outside(one.buffers[at], byte);
          if (outside ? images[second][at][byte] != before[at][byte]
                      : !one.buffers[at].is_free() && images[second][at][byte] != images[0][at][byte]) return false;
        }
      }
    }
    expected = images[0];
    return true;
  }

  const std::shared_ptr<const Task> task_;
  const Setup& setup_;
  const Suite& suite_;
  const Size& sizes_;
  const uint64_t seed_;
  const std::string file_;
  std::shared_ptr<const Runner> reference_, candidate_;
};

}  // namespace test
