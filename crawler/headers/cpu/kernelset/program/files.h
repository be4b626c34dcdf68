// Files that a program asks for and that are not there: what it then computes from is no input of its author's.
#pragma once
#include <dlfcn.h>
#include <string.h>

KS_RUNTIME_BEGIN
KS_SELDOM_BEGIN
namespace kernelset {
using Opener = FILE* (*)(const char*, const char*);
// no file of the system's own is the author's
static bool is_data(const char* path) {
  return strncmp(path, "/sys/", 5) && strncmp(path, "/proc/", 6) && strncmp(path, "/etc/", 5) && strncmp(path, "/dev/", 5);
}
static FILE* open_file(const char* opener, const char* path, const char* mode) {
  const Opener open = reinterpret_cast<Opener>(dlsym(RTLD_NEXT, opener));
  FILE* file = open ? open(path, mode) : nullptr;
  if (!file && path && mode && mode[0] == 'r' && is_data(path)) {
    fputs("missing ", launch_log());
    for (const char* at = path; *at; ++at) fputc(*at > ' ' && *at < 127 ? *at : '_', launch_log());
    fputs("\n", launch_log());
    fflush(launch_log());
  }
  return file;
}
}  // namespace kernelset
// the C++ library opens its streams by the second one
extern "C" __attribute__((visibility("default"), used)) FILE* fopen(const char* path, const char* mode) {
  return kernelset::open_file("fopen", path, mode);
}
extern "C" __attribute__((visibility("default"), used)) FILE* fopen64(const char* path, const char* mode) {
  return kernelset::open_file("fopen64", path, mode);
}
KS_SELDOM_END
KS_RUNTIME_END
