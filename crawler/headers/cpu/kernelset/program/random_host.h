// cuRAND's generators that the host asks for whole arrays of numbers: of their distributions, and not of their sequences.
// Rule: cuRAND documentation, "Host API Overview"; the numbers are SplitMix64 (Steele et al., 2014).
#pragma once
#include <cmath>
#include <vector>

struct curandGenerator_st {
  unsigned long long seed, drawn;
};

KS_RUNTIME_BEGIN
namespace kernelset {

inline unsigned long long draw_word(curandGenerator_t generator) {
  unsigned long long word = generator->seed + ++generator->drawn * 0x9E3779B97F4A7C15ull;
  word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9ull;
  word = (word ^ (word >> 27)) * 0x94D049BB133111EBull;
  return word ^ (word >> 31);
}
// above 0, and up to 1
inline double draw_uniform(curandGenerator_t generator, int bits) {
  return std::ldexp(static_cast<double>((draw_word(generator) >> (64 - bits)) + 1), -bits);
}
inline double draw_normal(curandGenerator_t generator) {
  const double radius = std::sqrt(-2 * std::log(draw_uniform(generator, 53)));
  return radius * std::cos(2 * M_PI * draw_uniform(generator, 53));
}
template <class T, class Draw>
curandStatus_t fill_drawn(curandGenerator_t generator, T* to, size_t count, Draw&& draw) {
  if (!generator) return CURAND_STATUS_NOT_INITIALIZED;
  std::vector<T> numbers(count);
  for (T& number : numbers) number = static_cast<T>(draw());
  // copied, so that the model knows that it was written
  return copy_memory(to, numbers.data(), count * sizeof(T)) ? CURAND_STATUS_INTERNAL_ERROR : CURAND_STATUS_SUCCESS;
}

}  // namespace kernelset
KS_RUNTIME_END

inline curandStatus_t curandCreateGenerator(curandGenerator_t* generator, curandRngType) {
  *generator = new curandGenerator_st{0, 0};
  return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandCreateGeneratorHost(curandGenerator_t* generator, curandRngType type) {
  return curandCreateGenerator(generator, type);
}
inline curandStatus_t curandDestroyGenerator(curandGenerator_t generator) {
  delete generator;
  return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator, unsigned long long seed) {
  *generator = {seed, 0};
  return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator, unsigned long long offset) {
  generator->drawn = offset;
  return CURAND_STATUS_SUCCESS;
}
template <class... Ignored>
curandStatus_t curandSetStream(Ignored&&...) {
  return CURAND_STATUS_SUCCESS;
}
template <class... Ignored>
curandStatus_t curandSetGeneratorOrdering(Ignored&&...) {
  return CURAND_STATUS_SUCCESS;
}
template <class... Ignored>
curandStatus_t curandGenerateSeeds(Ignored&&...) {
  return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandGetVersion(int* version) {
  *version = 10310;
  return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandGenerate(curandGenerator_t generator, unsigned int* to, size_t count) {
  return kernelset::fill_drawn(generator, to, count, [&] { return kernelset::draw_word(generator) >> 32; });
}
inline curandStatus_t curandGenerateLongLong(curandGenerator_t generator, unsigned long long* to, size_t count) {
  return kernelset::fill_drawn(generator, to, count, [&] { return kernelset::draw_word(generator); });
}
inline curandStatus_t curandGenerateUniform(curandGenerator_t generator, float* to, size_t count) {
  return kernelset::fill_drawn(generator, to, count, [&] { return kernelset::draw_uniform(generator, 24); });
}
inline curandStatus_t curandGenerateUniformDouble(curandGenerator_t generator, double* to, size_t count) {
  return kernelset::fill_drawn(generator, to, count, [&] { return kernelset::draw_uniform(generator, 53); });
}
#define KS_NORMAL(NAME, T, RESULT)                                                                                \
  inline curandStatus_t NAME(curandGenerator_t generator, T* to, size_t count, T mean, T deviation) {             \
    return kernelset::fill_drawn(generator, to, count, [&] {                                                      \
      const double value = mean + deviation * kernelset::draw_normal(generator);                                  \
      return RESULT;                                                                                              \
    });                                                                                                           \
  }
KS_NORMAL(curandGenerateNormal, float, value) KS_NORMAL(curandGenerateNormalDouble, double, value)
KS_NORMAL(curandGenerateLogNormal, float, std::exp(value)) KS_NORMAL(curandGenerateLogNormalDouble, double, std::exp(value))
#undef KS_NORMAL
// a call that the library has and the model has not
#define KS_API(NAME)                    \
  template <class... Ignored>           \
  curandStatus_t NAME(Ignored&&...) {   \
    kernelset::refuse_call(#NAME);      \
    return CURAND_STATUS_INTERNAL_ERROR; \
  }
