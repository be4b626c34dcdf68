// Files that a program asks for and that are not there: what it then computes from is no input of its author's. And files
// that it cannot write.
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
static void log_file(const char* word, const char* path) {
  fprintf(launch_log(), "%s ", word);
  for (const char* at = path; *at; ++at) fputc(*at > ' ' && *at < 127 ? *at : '_', launch_log());
  fputs("\n", launch_log());
  fflush(launch_log());
}
static FILE* open_file(const char* opener, const char* path, const char* mode) {
  static bool is_any_missing;
  const Opener open = reinterpret_cast<Opener>(dlsym(RTLD_NEXT, opener));
  FILE* file = open ? open(path, mode) : nullptr;
  if (!path || !mode) return file;
  // the checkout cannot be written to: what a program leaves there is of no use, and it goes on
  if (!file && open && mode[0] != 'r') return open("/dev/null", mode);
  if (mode[0] != 'r' || !is_data(path)) return file;
  if (!file) log_file("missing", path);
  // many programs look for a file in one folder after the other
  if (file && is_any_missing) log_file("opened", path);
  is_any_missing |= !file;
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
