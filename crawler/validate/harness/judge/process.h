// A process of a stranger's: in its box, with limits, an empty environment, and an end that is looked at.
#pragma once
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>

#include <chrono>
#include <cstring>

#include "cases.h"
#include "isolation.h"

namespace test {

struct Limits {
  unsigned seconds;     // of the processor; by the clock twice as many
  rlim_t memory;        // bytes of addresses; 0 for as many as it wants
  rlim_t file_bytes;    // of each file that it writes
  size_t output_bytes;  // that it writes to the descriptor 3: whatever is more is not read
};
constexpr char too_long[] = "it took too long";
struct Ended {
  int status = -1;
  bool is_late = false;
  Bytes output;        // what it wrote to the descriptor 3
  std::string errors;  // the beginning of what it said
  bool is_good() const { return !is_late && WIFEXITED(status) && !WEXITSTATUS(status); }
  // by the clock, or by the processor: bubblewrap ends as a shell does where its program is ended by a signal
  bool is_too_long() const {
    return is_late || (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU) ||
           (WIFEXITED(status) && WEXITSTATUS(status) == 128 + SIGXCPU);
  }
  std::string reason() const {
    if (is_too_long()) return too_long;
    if (WIFSIGNALED(status)) return std::string("it was ended by ") + strsignal(WTERMSIG(status));
    return "it ended with the status " + std::to_string(WEXITSTATUS(status));
  }
};
constexpr size_t most_errors = 1 << 14;

struct Pipe {
  int ends[2] = {-1, -1};
  Pipe() {
    if (pipe(ends)) throw Unfit("no pipe can be made");
    // the three that a child has are copies: none of these may pass for one of them
    for (int& end : ends) {
      const int high = fcntl(end, F_DUPFD_CLOEXEC, 10);
      close(end);
      end = high;
    }
  }
  ~Pipe() {
    shut(0);
    shut(1);
  }
  void shut(int which) {
    if (ends[which] >= 0) close(ends[which]);
    ends[which] = -1;
  }
};

static void limit(int what, rlim_t most) {
  const struct rlimit both = {most, most};
  setrlimit(decltype(RLIMIT_CPU)(what), &both);
}
[[noreturn]] static void become(const std::vector<std::string>& words, const Box& box, const Limits& limits, Barrier barrier) {
  // a second between the signal that says why and the one that nobody can ignore
  const struct rlimit processor = {limits.seconds, limits.seconds + 1};
  setrlimit(RLIMIT_CPU, &processor);
  limit(RLIMIT_FSIZE, limits.file_bytes);
  limit(RLIMIT_CORE, 0);
  if (limits.memory) limit(RLIMIT_AS, limits.memory);
  const std::string folder = "TMPDIR=" + box.folder, home = "HOME=" + box.folder;
  const char* const settings[] = {"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C", folder.c_str(), home.c_str(), nullptr};
  const char* const nothing[] = {nullptr};
  std::vector<std::string> all = words;
  if (barrier == Barrier::bubblewrap) all = behind_bubblewrap(box, words);
  std::vector<char*> arguments;
  for (std::string& word : all) arguments.push_back(&word[0]);
  arguments.push_back(nullptr);
  if (chdir(box.folder.c_str())) _exit(126);
  if (barrier == Barrier::landlock && !enter_landlock(box)) _exit(126);
  // a compiler looks for its parts; a kernel is told nothing at all
  char** environment = const_cast<char**>(box.has_processes ? settings : nothing);
  execve(arguments[0], arguments.data(), environment);
  _exit(127);
}

// what a process reads and what it writes, at once: none of the two waits for the other
class Conversation {
 public:
  Conversation(const Bytes& input, size_t most_output) : input_(input), most_output_(most_output) {}
  Pipe to, from, errors;

  // until the process has let go of all, or the time is over; true where it let go
  bool hold(Ended& ended, std::chrono::steady_clock::time_point end) {
    for (int file : {to.ends[1], from.ends[0], errors.ends[0]}) fcntl(file, F_SETFL, O_NONBLOCK);
    if (input_.empty()) to.shut(1);
    while (from.ends[0] >= 0 || errors.ends[0] >= 0) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now()).count();
      if (left <= 0) return false;
      pollfd files[] = {{to.ends[1], POLLOUT, 0}, {from.ends[0], POLLIN, 0}, {errors.ends[0], POLLIN, 0}};
      if (poll(files, 3, int(std::min<long long>(left, 1000))) < 0 && errno != EINTR) return false;
      if (files[0].revents) send();
      if (files[1].revents && !receive(from, ended.output, most_output_)) return true;
      if (files[2].revents) receive(errors, errors_, most_errors);
      ended.errors.assign(errors_.begin(), errors_.end());
    }
    return true;
  }

 private:
  void send() {
    const ssize_t count = write(to.ends[1], input_.data() + sent_, std::min<size_t>(input_.size() - sent_, 1 << 16));
    if (count > 0) sent_ += size_t(count);
    if (sent_ == input_.size() || (count < 0 && errno != EAGAIN)) to.shut(1);
  }
  // false where there is more than anybody may say
  static bool receive(Pipe& pipe, Bytes& to, size_t most) {
    unsigned char part[1 << 16];
    const ssize_t count = read(pipe.ends[0], part, sizeof(part));
    if (count < 0 && errno == EAGAIN) return true;
    if (count <= 0) pipe.shut(0);
    else to.insert(to.end(), part, part + std::min<size_t>(size_t(count), most + 1 - std::min(to.size(), most + 1)));
    return to.size() <= most;
  }

  const Bytes& input_;
  Bytes errors_;
  size_t most_output_, sent_ = 0;
};

// Ends whatever a process has left behind, in groups and sessions of its own too: it came to this one, which adopts it.
static void end_orphans() {
#if defined(__linux__)
  const std::string path = "/proc/self/task/" + std::to_string(getpid()) + "/children";
  for (int round = 0; round < 1000; ++round) {
    std::ifstream children(path);
    pid_t child;
    bool is_some = false;
    while (children >> child) {
      kill(child, SIGKILL);
      waitpid(child, nullptr, 0);
      is_some = true;
    }
    if (!is_some) return;
  }
#endif
}

static Ended run_process(
    const std::vector<std::string>& words, const Box& box, const Limits& limits, Barrier barrier, const Bytes& input) {
  Conversation conversation(input, limits.output_bytes);
  Ended ended;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(2 * limits.seconds);
  const pid_t child = fork();
  if (child < 0) throw Unfit("no process can be started");
  if (child == 0) {
    setsid();
    const int nowhere = open("/dev/null", O_WRONLY);
    dup2(conversation.to.ends[0], 0);
    dup2(nowhere, 1);
    dup2(conversation.errors.ends[1], 2);
    dup2(conversation.from.ends[1], 3);
    for (int file = 4; file < 256; ++file) close(file);
    become(words, box, limits, barrier);
  }
  conversation.to.shut(0);
  conversation.from.shut(1);
  conversation.errors.shut(1);
  ended.is_late = !conversation.hold(ended, end);
  // it may have let go of its pipes and stay
  while (!ended.is_late && !waitpid(child, &ended.status, WNOHANG)) {
    ended.is_late = std::chrono::steady_clock::now() > end || ended.output.size() > limits.output_bytes;
    usleep(500);
  }
  kill(-child, SIGKILL);
  if (ended.is_late) waitpid(child, &ended.status, 0);
  end_orphans();
  return ended;
}

}  // namespace test
