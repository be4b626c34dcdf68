// The judge behind GoogleTest: a test for each case. What it is told stands in the environment, as for pytest.
#pragma once
#include <gtest/gtest.h>

#include "options.h"

namespace test {

static Options options_of(const std::string& name) {
  const std::filesystem::path own = std::filesystem::absolute(__FILE__).parent_path().parent_path();
  // built with a path that means nothing here, it is run in its folder
  std::vector<std::string> words = {"judge", exists((own / "judge").string()) ? own.string() : ".", name};
  for (const char* option : {"candidates", "backend", "seed", "barrier"}) {
    std::string variable = option;
    for (char& c : variable) c = char(toupper((unsigned char)c));
    const char* value = getenv(variable.c_str());
    if (value && *value) words.insert(words.end(), {std::string("--") + option, value});
  }
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(&word[0]);
  return read_options(int(arguments.size()), arguments.data());
}
// one judge for all tests of a kernel: it builds the candidate once
static const Judge& judge_of(const std::string& name) {
  static const Options options = options_of(name);
  static const Judge judge(options.setup, options.seed);
  static const bool is_said = printf("fresh inputs drawn from SEED=%llu\n", (unsigned long long)options.seed) > 0;
  (void)is_said;
  return judge;
}
static void expect_right(const std::string& name, const std::string& case_name) {
  signal(SIGPIPE, SIG_IGN);
  guard_this_process();
  const Judge& judge = judge_of(name);
  ASSERT_EQ("", judge.problem());
  for (size_t number = 0; number < judge.case_count(); ++number) {
    if (judge.case_name(number) != case_name) continue;
    int fresh = 0;
    EXPECT_EQ("", judge.judge_shown(number));
    EXPECT_EQ("", judge.judge_fresh(number, fresh));
    return;
  }
  FAIL() << "there is no case " << case_name;
}

}  // namespace test
