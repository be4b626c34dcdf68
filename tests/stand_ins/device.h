// A device that is a process of its own: it runs what it is sent, in memory that it shares with whoever sends it. So a
// kernel sees nothing of the driver's process, ends only its own, and a device that it ended answers no more.
#pragma once
#include <dirent.h>
#include <dlfcn.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <set>
#include <string>
#include <vector>

#include "object.h"

enum Error { ok, bad_value = 1, no_memory = 2, not_initialised = 3, no_device = 100, bad_device = 101, bad_image = 200,
             not_found = 500, illegal_address = 700, launch_resources = 701, asserted = 710, launch_failed = 719 };
enum What { load, unload, find, launch, stamp, settle, reset_cache };

struct Command {
  What what;
  uint64_t place;  // of a module, a kernel, or a stamp
  unsigned grid[3], block[3], shared, bytes;
};
struct Answer {
  int error;
  uint64_t place;
  unsigned static_shared, most_threads, count;
  unsigned sizes[256];
};
struct Stamp {
  volatile int64_t nanoseconds;
  volatile int done;
};
constexpr unsigned most_stamps = 1 << 16;

static bool all_read(int from, void* to, size_t size) {
  for (char* at = static_cast<char*>(to); size;) {
    const ssize_t got = read(from, at, size);
    if (got <= 0) return false;
    at += got;
    size -= size_t(got);
  }
  return true;
}
static bool all_written(int to, const void* from, size_t size) { return write(to, from, size) == ssize_t(size); }

struct Module {
  std::vector<void*> libraries;
};

class DeviceProcess {
 public:
  DeviceProcess(int in, int out, Stamp* stamps, std::string modules)
      : in_(in), out_(out), stamps_(stamps), modules_(std::move(modules)) {}
  [[noreturn]] void serve() {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    Command command;
    while (all_read(in_, &command, sizeof(command))) {
      std::vector<char> payload(command.bytes);
      if (!all_read(in_, payload.data(), payload.size())) break;
      if (command.what == load) answer(loaded(payload));
      if (command.what == unload) dropped(command.place);
      if (command.what == find) answer(found(command.place, payload.data()));
      if (command.what == launch && run(command, payload)) _exit(3);
      if (command.what == stamp) mark(stamps_[command.place]);
      if (command.what == settle) answer(settled());
      if (command.what == reset_cache) call_all("stand_in_reset_cache");
    }
    _exit(0);
  }

 private:
  void answer(const Answer& told) { all_written(out_, &told, sizeof(told)); }
  Answer loaded(const std::vector<char>& path) {
    Answer told = {};
    Module* module = new Module;
    if (!path[0]) {
      load_all(*module);
    } else if (void* library = dlopen(path.data(), RTLD_NOW | RTLD_LOCAL)) {
      module->libraries.push_back(library);
    }
    if (path[0]) ::unlink(path.data());
    libraries_.insert(module->libraries.begin(), module->libraries.end());
    told.error = module->libraries.empty() ? bad_image : ok;
    told.place = reinterpret_cast<uint64_t>(module);
    return told;
  }
  // what a device of its own kind would run is here run by a library that was made of the same unit
  void load_all(Module& module) {
    DIR* folder = opendir(modules_.c_str());
    while (dirent* entry = folder ? readdir(folder) : nullptr) {
      const std::string name = entry->d_name;
      if (name.find(".so") == std::string::npos) continue;
      if (void* library = dlopen((modules_ + "/" + name).c_str(), RTLD_NOW | RTLD_LOCAL)) module.libraries.push_back(library);
    }
    if (folder) closedir(folder);
  }
  Answer settled() {
    call_all("stand_in_settle");
    return {};
  }
  void call_all(const char* function) {
    for (void* library : libraries_) {
      if (void* place = dlsym(library, function)) reinterpret_cast<void (*)()>(place)();
    }
  }
  void dropped(uint64_t place) {
    settled();
    Module* module = reinterpret_cast<Module*>(place);
    for (void* library : module->libraries) {
      libraries_.erase(libraries_.find(library));
      dlclose(library);
    }
    delete module;
  }
  Answer found(uint64_t place, const char* symbol) {
    Answer told = {};
    told.error = not_found;
    for (void* library : reinterpret_cast<Module*>(place)->libraries) {
      const auto* kernel = static_cast<const StandInKernel*>(dlsym(library, "stand_in_kernels"));
      for (; kernel && kernel->symbol; ++kernel) {
        if (strcmp(kernel->symbol, symbol)) continue;
        told = {ok, reinterpret_cast<uint64_t>(kernel), kernel->static_shared, kernel->most_threads, kernel->count, {}};
        memcpy(told.sizes, kernel->sizes, kernel->count * sizeof(unsigned));
      }
    }
    return told;
  }
  int run(const Command& command, std::vector<char>& payload) {
    const auto* kernel = reinterpret_cast<const StandInKernel*>(command.place);
    std::vector<void*> values;
    char* at = payload.data();
    std::vector<std::vector<char>> room;
    for (unsigned which = 0; which < kernel->count; ++which) {
      room.emplace_back(kernel->sizes[which] + 64);
      char* value = room.back().data() + (64 - reinterpret_cast<uintptr_t>(room.back().data()) % 64);
      memcpy(value, at, kernel->sizes[which]);
      at += kernel->sizes[which];
      values.push_back(value);
    }
    return kernel->run(command.grid, command.block, command.shared, values.data());
  }
  static void mark(Stamp& stamp) {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    stamp.nanoseconds = now.tv_sec * 1000000000ll + now.tv_nsec;
    stamp.done = 1;
  }

  int in_, out_;
  Stamp* stamps_;
  std::string modules_;
  std::multiset<void*> libraries_;
};
