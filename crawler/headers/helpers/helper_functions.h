// Timers, words of a command line, and comparisons of results, for programs in the manner of CUDA's samples.
// Rule: the interface of "helper_functions.h" and "helper_image.h" in CUDA's samples, without pictures in files.
#pragma once
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>
#include <helper_string.h>
#include <helper_timer.h>

#ifndef MIN
#define MIN(a, b) ((a < b) ? a : b)
#endif
#ifndef MAX
#define MAX(a, b) ((a > b) ? a : b)
#endif

// whether at most the part `threshold` of all elements differ by more than `epsilon`
template <class T, class S>
bool compareData(const T *expected, const T *data, const unsigned int length, const S epsilon, const float threshold) {
  unsigned int errors = 0;
  for (unsigned int at = 0; at < length; ++at) {
    const double difference = static_cast<double>(expected[at]) - static_cast<double>(data[at]);
    errors += !(std::fabs(difference) <= static_cast<double>(epsilon));
  }
  return threshold == 0.0f ? errors == 0 : errors <= length * threshold;
}
template <class T, class S>
bool compareDataAsFloatThreshold(const T *expected, const T *data, const unsigned int length, const S epsilon, const float threshold) {
  return compareData(expected, data, length, epsilon > 0 ? epsilon : S(1e-3), threshold);
}
// whether the norm of the difference is less than the part `epsilon` of the norm of what is expected
inline bool sdkCompareL2fe(const float *expected, const float *data, const unsigned int length, const float epsilon) {
  double error = 0, reference = 0;
  for (unsigned int at = 0; at < length; ++at) {
    const double difference = static_cast<double>(expected[at]) - data[at];
    error += difference * difference;
    reference += static_cast<double>(expected[at]) * expected[at];
  }
  return reference > 1e-14 && std::sqrt(error) / std::sqrt(reference) < epsilon;
}
