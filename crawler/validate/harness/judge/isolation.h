// What a stranger's process may see: bubblewrap where it works, else Landlock, else nothing holds it but its limits.
#pragma once
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

#include <cstdint>
#include <string>
#include <vector>

namespace test {

enum class Barrier { bubblewrap, landlock, none };
static const char* const barrier_names[] = {"bwrap", "landlock", "none"};

// What a process is let see of the machine.
struct Box {
  std::string folder;                 // its own, where it begins and may write
  std::vector<std::string> readable;  // folders and files
  bool has_processes;                 // a /proc of its own: compilers find themselves there
  bool has_devices;                   // a GPU is a device of the machine
};

static bool exists(const std::string& path) {
  struct stat there;
  return !stat(path.c_str(), &there);
}
// folders of every machine that hold libraries, compilers and what those are set up by, and nobody's own files
static std::vector<std::string> system_folders() {
  std::vector<std::string> there;
  for (const char* path : {"/usr", "/bin", "/lib", "/lib32", "/lib64", "/opt/rocm", "/nix/store", "/etc/alternatives",
                           "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d"}) {
    if (exists(path)) there.push_back(path);
  }
  return there;
}

static std::string bubblewrap() { return exists("/usr/bin/bwrap") ? "/usr/bin/bwrap" : "/usr/local/bin/bwrap"; }
static std::vector<std::string> behind_bubblewrap(const Box& box, const std::vector<std::string>& words) {
  std::vector<std::string> all = {bubblewrap(), "--unshare-all", "--die-with-parent", "--new-session", "--tmpfs", "/tmp"};
  const auto add = [&](std::initializer_list<std::string> more) { all.insert(all.end(), more); };
  if (box.has_devices) add({"--dev-bind", "/dev", "/dev", "--ro-bind", "/sys", "/sys"});
  else add({"--dev", "/dev"});
  if (box.has_processes) add({"--proc", "/proc"});
  for (const std::string& path : box.readable) add({"--ro-bind", path, path});
  add({"--bind", box.folder, box.folder, "--chdir", box.folder, "--"});
  all.insert(all.end(), words.begin(), words.end());
  return all;
}

#if defined(__linux__)
// Rule: Documentation/userspace-api/landlock.rst of Linux; its header may be older than the kernel that is running.
struct LandlockRules {
  uint64_t files, network, scopes;
};
struct __attribute__((packed)) LandlockPath {
  uint64_t allowed;
  int32_t folder;
};
constexpr long landlock_create = 444, landlock_add = 445, landlock_restrict = 446;
constexpr uint64_t landlock_read = 1 | 1 << 2 | 1 << 3;                           // run, read a file, list a folder
constexpr uint64_t landlock_of_files = 1 | 1 << 1 | 1 << 2 | 1 << 14 | 1 << 15;  // what a file can be let be used for

static int landlock_version() { return int(syscall(landlock_create, nullptr, 0, 1)); }
static bool allow_beneath(int rules, const std::string& path, uint64_t allowed) {
  const int place = open(path.c_str(), O_PATH | O_CLOEXEC);
  struct stat there;
  if (place < 0 || fstat(place, &there)) return false;
  if (!S_ISDIR(there.st_mode)) allowed &= landlock_of_files;
  const LandlockPath rule = {allowed, place};
  const bool done = !syscall(landlock_add, rules, 1, &rule, 0);
  close(place);
  return done;
}
// Holds this process and those that it starts; false where it cannot.
static bool enter_landlock(const Box& box) {
  const int version = landlock_version();
  if (version < 1) return false;
  const uint64_t files = (uint64_t(1) << (version >= 5 ? 16 : version >= 3 ? 15 : version >= 2 ? 14 : 13)) - 1;
  const LandlockRules wanted = {files, version >= 4 ? 3u : 0u, version >= 6 ? 3u : 0u};
  const size_t size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
  const int rules = int(syscall(landlock_create, &wanted, size, 0));
  if (rules < 0) return false;
  bool held = allow_beneath(rules, box.folder, files);
  for (const std::string& path : box.readable) held = held && allow_beneath(rules, path, landlock_read & files);
  for (const char* device : {"/dev/null", "/dev/zero", "/dev/urandom"}) {
    allow_beneath(rules, device, (landlock_read | 1 << 1) & files);
  }
  if (box.has_devices) held = held && allow_beneath(rules, "/dev", files) && allow_beneath(rules, "/sys", landlock_read);
  held = held && !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) && !syscall(landlock_restrict, rules, 0);
  close(rules);
  return held;
}
#else
static int landlock_version() { return 0; }
static bool enter_landlock(const Box&) { return false; }
#endif

// whether bubblewrap is here and lets a program run: namespaces of users may be forbidden
static bool does_bubblewrap_work() {
  const pid_t child = fork();
  if (child == 0) {
    const int nowhere = open("/dev/null", O_RDWR);
    for (int file : {0, 1, 2}) dup2(nowhere, file);
    const std::string program = bubblewrap();
    execl(program.c_str(), program.c_str(), "--unshare-all", "--die-with-parent", "--ro-bind", "/", "/", "--tmpfs", "/tmp",
          "--proc", "/proc", "--dev", "/dev", "true", static_cast<char*>(nullptr));
    _exit(127);
  }
  int status = 1;
  return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}
static Barrier strongest_barrier() {
  if (does_bubblewrap_work()) return Barrier::bubblewrap;
  return landlock_version() > 0 ? Barrier::landlock : Barrier::none;
}
// Nobody of the same user reads this process, which holds the cases; and what a kernel leaves behind becomes its child.
static void guard_this_process() {
#if defined(__linux__)
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
#endif
}

}  // namespace test
