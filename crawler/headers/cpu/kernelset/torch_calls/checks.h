// What stands in front of a source whose launchers are called: how many of its checks a call came to, and of which types.
#pragma once
// A dispatch over all whole numbers goes over two of them, and over no complex ones, which no search has.
#define KERNELSET_FEW_TYPES 1
namespace kernelset {
inline unsigned checks_begun;
// how often a tensor was asked for something: a check of several parts comes further by each that holds
inline unsigned questions_asked;
inline bool is_in_check;
KS_CALLS bool end_check(bool holds) {
  is_in_check = false;
  return holds;
}
}
#define KS_BEGIN_CHECK() (++::kernelset::checks_begun, ::kernelset::is_in_check = true)
#define KS_END_CHECK(...) ::kernelset::end_check(static_cast<bool>(__VA_ARGS__))
