// Rule: cuRAND, "Device API".
#pragma once
#include <kernelset/cuda.cuh>
#include <curand.h>

#define KERNELSET_RAND(name) curand##name
#include <kernelset/random.h>

struct curandStateMtgp32 : kernelset::Philox {};
struct curandStateSobol32 : kernelset::Philox {};
struct curandStateSobol64 : kernelset::Philox {};
struct curandStateScrambledSobol32 : kernelset::Philox {};
struct curandStateScrambledSobol64 : kernelset::Philox {};
typedef curandStateMtgp32 curandStateMtgp32_t;
typedef curandStateSobol32 curandStateSobol32_t;
typedef curandStateSobol64 curandStateSobol64_t;
typedef curandStateScrambledSobol32 curandStateScrambledSobol32_t;
typedef curandStateScrambledSobol64 curandStateScrambledSobol64_t;
// their own sequences are not made: points of another generator stand in for them
template <typename Vectors, typename State, std::enable_if_t<std::is_pointer<Vectors>::value, int> = 0>
static __device__ inline void curand_init(Vectors vectors, unsigned long long offset, State *state) {
  curand_init(static_cast<unsigned long long>(*vectors), 0, offset, state);
}
