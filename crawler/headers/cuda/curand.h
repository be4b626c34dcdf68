// Rule: cuRAND, "Host API".
#pragma once
#include <kernelset/cuda.cuh>

enum curandStatus { CURAND_STATUS_SUCCESS = 0, CURAND_STATUS_VERSION_MISMATCH = 100, CURAND_STATUS_NOT_INITIALIZED = 101,
  CURAND_STATUS_ALLOCATION_FAILED = 102, CURAND_STATUS_TYPE_ERROR = 103, CURAND_STATUS_OUT_OF_RANGE = 104,
  CURAND_STATUS_LENGTH_NOT_MULTIPLE = 105, CURAND_STATUS_DOUBLE_PRECISION_REQUIRED = 106, CURAND_STATUS_LAUNCH_FAILURE = 201,
  CURAND_STATUS_PREEXISTING_FAILURE = 202, CURAND_STATUS_INITIALIZATION_FAILED = 203, CURAND_STATUS_ARCH_MISMATCH = 204,
  CURAND_STATUS_INTERNAL_ERROR = 999 };
typedef curandStatus curandStatus_t;
enum curandRngType {
  CURAND_RNG_PSEUDO_DEFAULT = 100,
  CURAND_RNG_PSEUDO_XORWOW = 101,
  CURAND_RNG_PSEUDO_MRG32K3A = 121,
  CURAND_RNG_PSEUDO_MTGP32 = 141,
  CURAND_RNG_PSEUDO_MT19937 = 142,
  CURAND_RNG_PSEUDO_PHILOX4_32_10 = 161,
  CURAND_RNG_QUASI_DEFAULT = 200,
  CURAND_RNG_QUASI_SOBOL32 = 201
};
typedef curandRngType curandRngType_t;
enum curandOrdering { CURAND_ORDERING_PSEUDO_BEST = 100, CURAND_ORDERING_PSEUDO_DEFAULT = 101 };
typedef curandOrdering curandOrdering_t;
typedef unsigned int curandDirectionVectors32_t[32];
typedef unsigned long long curandDirectionVectors64_t[64];
enum curandDirectionVectorSet {
  CURAND_DIRECTION_VECTORS_32_JOEKUO6 = 101,
  CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6 = 102,
  CURAND_DIRECTION_VECTORS_64_JOEKUO6 = 103,
  CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6 = 104
};
typedef curandDirectionVectorSet curandDirectionVectorSet_t;
typedef struct curandGenerator_st *curandGenerator_t;
typedef struct curandDiscreteDistribution_st *curandDiscreteDistribution_t;

#ifdef KERNELSET_PROGRAM
#include <kernelset/program/random_host.h>
#else
#define KS_API(NAME) template <typename... Arguments> curandStatus_t NAME(Arguments &&...);
KS_API(curandCreateGenerator) KS_API(curandCreateGeneratorHost) KS_API(curandDestroyGenerator) KS_API(curandSetStream)
KS_API(curandSetPseudoRandomGeneratorSeed) KS_API(curandSetGeneratorOffset) KS_API(curandSetGeneratorOrdering)
KS_API(curandGenerate) KS_API(curandGenerateLongLong) KS_API(curandGenerateUniform) KS_API(curandGenerateUniformDouble)
KS_API(curandGenerateNormal) KS_API(curandGenerateNormalDouble) KS_API(curandGenerateLogNormal)
KS_API(curandGenerateLogNormalDouble) KS_API(curandGenerateSeeds) KS_API(curandGetVersion)
#endif
KS_API(curandGeneratePoisson) KS_API(curandGetDirectionVectors32) KS_API(curandGetDirectionVectors64)
KS_API(curandGetScrambleConstants32) KS_API(curandGetScrambleConstants64) KS_API(curandSetQuasiRandomGeneratorDimensions)
#undef KS_API
