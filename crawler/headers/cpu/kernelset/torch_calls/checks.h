// What stands in front of a source whose launchers are called: how many of its checks a call came to, and
// what refused it.
#pragma once
namespace kernelset {
inline unsigned checks_begun;
// how often a tensor was asked for something: a check of several parts comes further by each that holds
inline unsigned questions_asked;
inline bool is_in_check;
inline unsigned refused_types;  // dispatches to a type that the launcher takes and that was not compiled
KS_CALLS bool end_check(bool holds) {
  is_in_check = false;
  return holds;
}
}
#define KS_BEGIN_CHECK() (++::kernelset::checks_begun, ::kernelset::is_in_check = true)
#define KS_END_CHECK(...) ::kernelset::end_check(static_cast<bool>(__VA_ARGS__))
