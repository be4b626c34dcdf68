// Instantiations of a program's kernels, by what the compiler calls their arguments; and whose results are changed.
#pragma once
#include <string>

KS_RUNTIME_BEGIN
KS_SELDOM_BEGIN
namespace kernelset {

// `[T = float, N = 3]` of `void kernel(T*) [T = float, N = 3]`; empty for what is no template
static std::string arguments_of(const char* signature) {
  const char* end = strstr(signature, ") [");
  return end ? end + 2 : "";
}
static std::vector<std::pair<int, std::string>>& instances() {
  static auto* all = new std::vector<std::pair<int, std::string>>();
  return *all;
}
static int number_instance(int kernel, const char* signature) {
  const std::string arguments = arguments_of(signature);
  if (arguments.empty()) return 0;
  for (size_t at = 0; at < instances().size(); ++at) {
    if (instances()[at].first == kernel && instances()[at].second == arguments) return static_cast<int>(at + 1);
  }
  instances().push_back({kernel, arguments});
  fprintf(launch_log(), "instance %zu %d %s\n", instances().size(), kernel, arguments.c_str());
  return static_cast<int>(instances().size());
}

constexpr int each_kernel = -2;
struct Target {
  int kernel = -1;  // `each_kernel`: whichever it is
  std::string arguments;  // empty: every instantiation
};
// whoever asks first may be there before variables of the program's have their first values
static Target& skip_target() {
  static auto* target = new Target();
  return *target;
}
static Target& spoil_target() {
  static auto* target = new Target();
  return *target;
}
static bool is_meant(const Target& target) {
  if (target.kernel == each_kernel) return true;
  if (target.kernel != entered_kernel) return false;
  return target.arguments.empty() || target.arguments == arguments_of(entered_signature);
}

}  // namespace kernelset
KS_SELDOM_END
KS_RUNTIME_END
