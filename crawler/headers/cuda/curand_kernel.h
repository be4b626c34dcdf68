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
