// A kernel's source as a program that runs one case: built in a folder of its own, in which nothing else lies.
#pragma once
#include <filesystem>

#include "process.h"
#include "shared_memory.h"

namespace test {

struct Setup {
  std::string folder;      // of all tests, absolute
  std::string name;        // of this one
  std::string candidates;  // folder of the sources that are judged
  std::string compiler;    // path
  std::string backend;     // cpu, cuda or hip
  Barrier barrier = Barrier::none;
  unsigned seconds = 120;  // of the processor, that one case may take
  bool counts_steps = false;
};

enum class Purpose { outputs, steps };  // what a program is made for

// seconds by the clock that went by in processes of compilers and kernels
struct Elapsed {
  double compiling = 0, running = 0;
};
static Elapsed& elapsed() {
  static Elapsed all;
  return all;
}
class Stopwatch {
 public:
  explicit Stopwatch(double& seconds) : seconds_(seconds) {}
  ~Stopwatch() { seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

 private:
  double& seconds_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "judge-XXXXXX").string();
    if (!mkdtemp(&pattern[0])) throw Unfit("no folder can be made in " + std::filesystem::temp_directory_path().string());
    path_ = std::filesystem::canonical(pattern).string();
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

static std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Unfit(path + " is not there");
  return std::string(std::istreambuf_iterator<char>(file), {});
}
static void write_text(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (!file.flush()) throw Unfit(path + " cannot be written");
}
static bool lies_beneath(const std::string& path, const std::string& folder) {
  return path.compare(0, folder.size() + 1, folder + "/") == 0;
}
// What a box shows of the system; the cases may not be within it.
static std::vector<std::string> visible_folders(const Setup& setup) {
  std::vector<std::string> visible;
  for (const std::string& path : system_folders()) {
    if (lies_beneath(setup.folder, path)) throw Unfit("these tests lie in " + path + ", which kernels may read: move them");
    visible.push_back(path);
  }
  return visible;
}
// a compiler of one's own lies in PREFIX/bin, beside what it needs
static void add_compiler(std::vector<std::string>& visible, const Setup& setup) {
  const std::filesystem::path program = std::filesystem::canonical(setup.compiler);
  const std::string prefix = program.parent_path().parent_path().string();
  for (const std::string& path : visible) {
    if (lies_beneath(program.string(), path)) return;
  }
  visible.push_back(lies_beneath(setup.folder, prefix) ? program.parent_path().string() : prefix);
}
// clang's instrumentation of what is left when all else is done, without loops that were unrolled: see cpu/steps.h
static const char* const counting_words[] = {
    "-DKERNELSET_STEPS=1", "-fno-unroll-loops", "-fno-vectorize", "-fno-slp-vectorize",
    "-Xclang", "-fsanitize-coverage-type=3", "-Xclang", "-fsanitize-coverage-trace-pc",
    "-Xclang", "-fsanitize-coverage-trace-loads", "-Xclang", "-fsanitize-coverage-trace-stores"};
static std::vector<std::string> compiler_words(const Setup& setup, const Suite& suite, Purpose purpose) {
  std::vector<std::string> words = {setup.compiler};
  const auto add = [&](std::initializer_list<std::string> more) { words.insert(words.end(), more); };
  if (setup.backend == "cpu") {
    // the extension of a source would tell clang another language
    add({"-x", "c++", "-std=gnu++" + suite.standard, "-O2", "-w", "-ffp-contract=off", "-fno-strict-aliasing"});
    for (const std::string& tree : suite.headers) add({"-isystem", setup.folder + "/include/" + tree});
  } else {
    add({"-std=c++" + suite.standard});
  }
  if (purpose == Purpose::steps) words.insert(words.end(), std::begin(counting_words), std::end(counting_words));
  add({suite.runner, "-o", "program"});
  return words;
}

// The program of one source, as long as this lives.
class Runner {
 public:
  Runner(const Setup& setup, const Suite& suite, const std::string& source, Purpose purpose = Purpose::outputs)
      : setup_(setup) {
    const Stopwatch watch(elapsed().compiling);
    std::string kernel = text_of(source);
    if (setup.backend == "cpu") kernel = SharedMemoryWords(kernel).rewritten();
    write_text(folder_.path() + "/kernel.inc", kernel);
    write_text(folder_.path() + "/" + suite.runner, text_of(setup.folder + "/" + suite.runner));
    Box box = {folder_.path(), visible_folders(setup), true, false};
    add_compiler(box.readable, setup);
    box.readable.push_back(setup.folder + "/include");
    const Ended ended = run_process(compiler_words(setup, suite, purpose), box, {300, 0, rlim_t(1) << 30, 0}, setup.barrier, {});
    if (!ended.is_good()) problem_ = "it does not compile: " + ended.reason() + "\n" + ended.errors;
    else if (!exists(program())) problem_ = "it does not compile: there is no program";
  }
  // why there is no program; empty where there is
  const std::string& problem() const { return problem_; }

  // Runs one case in a new process and an empty folder; throws nothing that is the kernel's fault.
  Ended run(const Bytes& message, size_t output_bytes) const {
    const Stopwatch watch(elapsed().running);
    const bool on_gpu = setup_.backend != "cpu";
    const TemporaryFolder empty;
    Box box = {empty.path(), visible_folders(setup_), false, on_gpu};
    box.readable.push_back(program());
    // the stacks of all threads have 16 GiB of addresses; a GPU's driver maps more than there is memory
    const Limits limits = {setup_.seconds, on_gpu ? 0 : rlim_t(24) << 30, 0, output_bytes};
    return run_process({program()}, box, limits, setup_.barrier, message);
  }

 private:
  std::string program() const { return folder_.path() + "/program"; }

  const Setup& setup_;
  TemporaryFolder folder_;
  std::string problem_;
};

}  // namespace test
