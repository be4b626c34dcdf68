// What memory holds that nobody has written. Rubbish of which no two words are the same shows what a byte that stands everywhere
// hides: the largest of several sums is where it was if each begins with the same.
#pragma once
#include <stddef.h>
#include <string.h>

KS_RUNTIME_BEGIN
namespace kernelset {

constexpr int ordinary_byte = 0x4f;  // finite in the first place of any type

static inline unsigned rubbish_word(size_t at, unsigned seed) {
  const unsigned number = (static_cast<unsigned>(at) + seed * 0x9e3779b1u) * 0x85ebca6bu;
  return number ^ (number >> 15);
}
// `byte` everywhere, or ordinary numbers that differ: no half of a word is infinite, whatever type it is read as
static void fill_bytes(void* place, size_t bytes, int byte) {
  memset(place, byte, bytes);
  if (byte != ordinary_byte) return;
  for (size_t at = 0; at < bytes / sizeof(unsigned); ++at) {
    const unsigned word = (unsigned(ordinary_byte) << 24) | (rubbish_word(at, 0) & 0x00ffbfffu);
    memcpy(static_cast<char*>(place) + at * sizeof(unsigned), &word, sizeof(word));
  }
}

}  // namespace kernelset
KS_RUNTIME_END
