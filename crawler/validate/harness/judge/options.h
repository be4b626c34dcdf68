// What a judge is told, by its command line.
#pragma once
#include <cstdio>
#include <random>

#include "judge.h"

namespace test {

struct Options {
  Setup setup;
  std::vector<std::string> candidates;  // folders, one of each candidate
  uint64_t seed;
  bool is_json = false;  // a line of JSON of each candidate, for programs
};

// the path of a program, absolute; empty where there is none of that name
static std::string program_path(const std::string& name) {
  if (name.find('/') != std::string::npos) return exists(name) ? std::filesystem::absolute(name).string() : "";
  const char* given = getenv("PATH");
  std::string left = given ? given : "/usr/local/bin:/usr/bin:/bin";
  while (!left.empty() && !name.empty()) {
    const size_t end = std::min(left.find(':'), left.size());
    const std::string path = left.substr(0, end) + "/" + name;
    if (path[0] == '/' && !access(path.c_str(), X_OK)) return path;
    left.erase(0, end + 1);
  }
  return "";
}
static std::string find_compiler(const std::string& backend, const std::string& given) {
  std::vector<std::string> names = {given};
  const char* const own = getenv("CXX");
  if (backend == "cuda") names.push_back("nvcc");
  else if (backend == "hip") names.push_back("hipcc");
  else names.insert(names.end(), {own ? own : "", "clang++", "clang++-21", "clang++-20", "clang++-19", "clang++-18", "g++", "c++"});
  for (const std::string& name : names) {
    const std::string path = program_path(name);
    if (!path.empty()) return path;
  }
  throw Unfit("there is no compiler for " + backend + ": install clang (clang++-18 or newer), g++, nvcc or hipcc");
}
static Barrier barrier_named(const std::string& name) {
  if (name.empty()) {
    const Barrier barrier = strongest_barrier();
    if (barrier != Barrier::none) return barrier;
    throw Unfit("neither bubblewrap nor Landlock works here, and a kernel could read what it is compared with: install "
                "bubblewrap, or trust the kernels and say --barrier none (BARRIER=none for CMake and pytest)");
  }
  for (int which = 0; which < 3; ++which) {
    if (name == barrier_names[which]) return Barrier(which);
  }
  throw Unfit("--barrier is bwrap, landlock or none");
}
static Options read_options(int count, char** words) {
  if (count < 3) throw Unfit("judge FOLDER NAME [--candidates FOLDER]... [--compiler C] [--backend cpu] [--seed N] [--barrier B] "
                               "[--seconds N] [--format text] [--steps no]");
  std::string compiler, backend = "cpu", seed, barrier, seconds, format = "text", steps = "no";
  Options options;
  for (int at = 3; at < count; at += 2) {
    const std::string key = words[at], value = at + 1 < count ? words[at + 1] : "";
    if (key == "--candidates") options.candidates.push_back(value);
    else if (key == "--compiler") compiler = value;
    else if (key == "--backend") backend = value;
    else if (key == "--seed") seed = value;
    else if (key == "--barrier") barrier = value;
    else if (key == "--seconds") seconds = value;
    else if (key == "--format") format = value;
    else if (key == "--steps") steps = value;
    else throw Unfit("there is no option " + key);
  }
  Setup& setup = options.setup;
  if (!exists(words[1])) throw Unfit(std::string(words[1]) + " is not there");
  setup.folder = std::filesystem::canonical(words[1]).string();
  setup.name = words[2];
  if (options.candidates.empty()) options.candidates.push_back(setup.folder + "/kernels");
  setup.candidates = options.candidates[0];
  setup.backend = backend;
  setup.compiler = find_compiler(backend, compiler);
  setup.barrier = barrier_named(barrier);
  if (format != "text" && format != "json") throw Unfit("--format is text or json");
  options.is_json = format == "json";
  if (steps != "no" && (steps != "yes" || backend != "cpu")) throw Unfit("--steps is yes or no, and they are counted on a CPU");
  setup.counts_steps = steps == "yes";
  if (!seconds.empty()) setup.seconds = unsigned(std::strtoul(seconds.c_str(), nullptr, 10));
  if (setup.seconds < 1 || setup.seconds > 3600) throw Unfit("--seconds is from 1 to 3600");
  options.seed = seed.empty() ? std::random_device{}() : std::strtoull(seed.c_str(), nullptr, 10);
  return options;
}

}  // namespace test
