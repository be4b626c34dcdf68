// What groups and CUB exchange between lanes may be any structure, what a warp exchanges are words.
#ifndef KERNELSET_WORDS_H
#define KERNELSET_WORDS_H
#include <type_traits>

namespace kernelset {

template <class T, class Exchange>
__device__ inline T by_words(const T& value, Exchange exchange) {
  if constexpr (std::is_class<T>::value && sizeof(T) % sizeof(unsigned) == 0) {
    unsigned words[sizeof(T) / sizeof(unsigned)];
    __builtin_memcpy(words, &value, sizeof(T));
    for (unsigned& word : words) word = exchange(word);
    T result = value;
    __builtin_memcpy(static_cast<void*>(&result), words, sizeof(T));
    return result;
  } else {
    return exchange(value);
  }
}

}  // namespace kernelset
#endif
