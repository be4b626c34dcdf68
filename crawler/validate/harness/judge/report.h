// What a judge says of a candidate: lines for people, or a line of JSON for programs.
#pragma once
#include "options.h"

namespace test {

// a JSON string; names and messages are of bytes that need not be UTF-8
static std::string json_string(const std::string& text) {
  std::string all = "\"";
  for (const char c : text) {
    char code[8];
    const bool is_plain = c >= ' ' && c <= '~' && c != '"' && c != '\\';
    if (!is_plain) snprintf(code, sizeof(code), "\\u%04x", (unsigned char)c);
    all += is_plain ? std::string(1, c) : code;
  }
  return all + "\"";
}

class Report {
 public:
  int fresh_count = 0;
  Steps steps;

  explicit Report(const Options& options) : options_(options) {}

  // `problem` is why the candidate cannot be run at all, where it cannot
  void begin(const std::string& problem) {
    problem_ = problem;
    if (options_.is_json) return;
    const Setup& setup = options_.setup;
    printf("%s: built by %s; kept in by %s; fresh inputs drawn from --seed %llu\n", setup.name.c_str(), setup.compiler.c_str(),
           barrier_names[int(setup.barrier)], (unsigned long long)options_.seed);
    if (setup.barrier == Barrier::none) printf("Nothing keeps it in: a kernel may read any file of yours.\n");
    if (!problem.empty()) printf("[FAILED] %s\n", problem.c_str());
  }
  void add(const std::string& name, const std::string& wrong, bool is_shown_right) {
    failed_ += !wrong.empty();
    ++cases_;
    if (options_.is_json) {
      json_ += (json_.empty() ? "" : ",") + std::string("{\"name\":") + json_string(name) + ",\"message\":" + json_string(wrong) +
               ",\"is_shown_right\":" + (is_shown_right ? "true" : "false") + "}";
      return;
    }
    printf("%s %s%s%s\n", wrong.empty() ? "[  ok  ]" : "[FAILED]", name.c_str(), wrong.empty() ? "" : ": ", wrong.c_str());
  }
  bool is_right() const { return problem_.empty() && failed_ == 0; }
  // true where the candidate is right
  bool end(const std::string& candidates) const {
    if (options_.is_json) {
      printf("{\"candidates\":%s,\"problem\":%s,\"cases\":[%s],\"fresh_inputs\":%d,\"seed\":%llu,\"compile_seconds\":%.3f,"
             "\"run_seconds\":%.3f,\"steps\":%lld,\"reference_steps\":%lld}\n",
             json_string(candidates).c_str(), json_string(problem_).c_str(), json_.c_str(), fresh_count,
             (unsigned long long)options_.seed, elapsed().compiling, elapsed().running, steps.own, steps.reference);
    } else if (problem_.empty()) {
      printf("%d of %d cases failed; %d fresh inputs were compared.\n", failed_, cases_, fresh_count);
      if (steps.own >= 0) printf("Its warps took %lld steps, those of the reference %lld.\n", steps.own, steps.reference);
    }
    fflush(stdout);
    return is_right();
  }

 private:
  const Options& options_;
  std::string problem_, json_;
  int failed_ = 0, cases_ = 0;
};

}  // namespace test
