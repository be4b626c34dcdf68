// hipRAND's device functions: the installed hipRAND where there is one, else these.
// Ours have the interface and the distributions; XORWOW and MRG32k3a do not give rocRAND's sequences.
#ifndef KERNELSET_HIPRAND_KERNEL_H
#define KERNELSET_HIPRAND_KERNEL_H

#if defined(__has_include_next)
#if __has_include_next(<hiprand/hiprand_kernel.h>)
#define KERNELSET_HAS_HIPRAND 1
#endif
#endif

#ifdef KERNELSET_HAS_HIPRAND
#include_next <hiprand/hiprand_kernel.h>
#else
#include <hip/hip_runtime.h>

namespace kernelset {

// Philox 4x32, 10 rounds (Salmon et al., 2011)
struct Philox {
  uint4 counter;
  uint2 key;
  uint4 drawn;
  unsigned position;
  float spare;
  bool has_spare;

  __device__ void start(unsigned long long seed, unsigned long long stream, unsigned long long offset) {
    key = make_uint2(static_cast<unsigned>(seed), static_cast<unsigned>(seed >> 32));
    counter = make_uint4(0, 0, static_cast<unsigned>(stream), static_cast<unsigned>(stream >> 32));
    position = 0;
    has_spare = false;
    skip(offset);
  }
  __device__ void skip(unsigned long long count) {
    unsigned long long total = count + position;
    unsigned long long block = (static_cast<unsigned long long>(counter.y) << 32 | counter.x) + total / 4;
    counter.x = static_cast<unsigned>(block);
    counter.y = static_cast<unsigned>(block >> 32);
    position = static_cast<unsigned>(total % 4);
    drawn = block_of(counter);
  }
  __device__ unsigned next() {
    unsigned value = position == 0 ? drawn.x : position == 1 ? drawn.y : position == 2 ? drawn.z : drawn.w;
    skip(1);
    return value;
  }
  __device__ uint4 block_of(uint4 at) const {
    uint2 round_key = key;
#pragma unroll
    for (int round = 0; round < 10; ++round) {
      unsigned long long low = 0xD2511F53ull * at.x;
      unsigned long long high = 0xCD9E8D57ull * at.z;
      at = make_uint4(static_cast<unsigned>(high >> 32) ^ at.y ^ round_key.x, static_cast<unsigned>(high),
                      static_cast<unsigned>(low >> 32) ^ at.w ^ round_key.y, static_cast<unsigned>(low));
      round_key = make_uint2(round_key.x + 0x9E3779B9u, round_key.y + 0xBB67AE85u);
    }
    return at;
  }
};

}  // namespace kernelset

struct hiprandStatePhilox4_32_10 : kernelset::Philox {};
struct hiprandStateXORWOW : kernelset::Philox {};
struct hiprandStateMRG32k3a : kernelset::Philox {};
using hiprandStatePhilox4_32_10_t = hiprandStatePhilox4_32_10;
using hiprandStateXORWOW_t = hiprandStateXORWOW;
using hiprandStateMRG32k3a_t = hiprandStateMRG32k3a;
using hiprandState = hiprandStateXORWOW;
using hiprandState_t = hiprandStateXORWOW;

template <class State>
__device__ inline void hiprand_init(unsigned long long seed, unsigned long long stream, unsigned long long offset,
                                    State* state) {
  state->start(seed, stream, offset);
}
template <class State>
__device__ inline void skipahead(unsigned long long count, State* state) {
  state->skip(count);
}
template <class State>
__device__ inline unsigned hiprand(State* state) {
  return state->next();
}
template <class State>
__device__ inline uint4 hiprand4(State* state) {
  unsigned x = state->next(), y = state->next(), z = state->next();
  return make_uint4(x, y, z, state->next());
}

// in (0, 1]
template <class State>
__device__ inline float hiprand_uniform(State* state) {
  return static_cast<float>(state->next()) * 0x1p-32f + 0x1p-33f;
}
template <class State>
__device__ inline double hiprand_uniform_double(State* state) {
  unsigned long long high = state->next();
  return static_cast<double>((high << 21) ^ state->next()) * 0x1p-53 + 0x1p-54;
}
template <class State>
__device__ inline float2 hiprand_uniform2(State* state) {
  float x = hiprand_uniform(state);
  return make_float2(x, hiprand_uniform(state));
}
template <class State>
__device__ inline float4 hiprand_uniform4(State* state) {
  float2 low = hiprand_uniform2(state), high = hiprand_uniform2(state);
  return make_float4(low.x, low.y, high.x, high.y);
}
template <class State>
__device__ inline double2 hiprand_uniform2_double(State* state) {
  double x = hiprand_uniform_double(state);
  return make_double2(x, hiprand_uniform_double(state));
}

// Box and Muller
template <class State>
__device__ inline float2 hiprand_normal2(State* state) {
  float radius = sqrtf(-2.0f * logf(hiprand_uniform(state)));
  float angle = 6.2831853f * hiprand_uniform(state);
  return make_float2(radius * cosf(angle), radius * sinf(angle));
}
template <class State>
__device__ inline float hiprand_normal(State* state) {
  if (state->has_spare) {
    state->has_spare = false;
    return state->spare;
  }
  float2 both = hiprand_normal2(state);
  state->spare = both.y;
  state->has_spare = true;
  return both.x;
}
template <class State>
__device__ inline float4 hiprand_normal4(State* state) {
  float2 low = hiprand_normal2(state), high = hiprand_normal2(state);
  return make_float4(low.x, low.y, high.x, high.y);
}
template <class State>
__device__ inline double2 hiprand_normal2_double(State* state) {
  double radius = sqrt(-2.0 * log(hiprand_uniform_double(state)));
  double angle = 6.283185307179586 * hiprand_uniform_double(state);
  return make_double2(radius * cos(angle), radius * sin(angle));
}
template <class State>
__device__ inline double hiprand_normal_double(State* state) {
  return hiprand_normal2_double(state).x;
}
template <class State>
__device__ inline float hiprand_log_normal(State* state, float mean, float deviation) {
  return expf(mean + deviation * hiprand_normal(state));
}
template <class State>
__device__ inline double hiprand_log_normal_double(State* state, double mean, double deviation) {
  return exp(mean + deviation * hiprand_normal_double(state));
}
// Knuth's product of uniforms, in steps so that the product does not underflow
template <class State>
__device__ inline unsigned hiprand_poisson(State* state, double mean) {
  unsigned count = 0;
  double left = mean;
  double product = hiprand_uniform_double(state);
  while (true) {
    while (product < 1.0 && left > 0.0) {
      double step = left < 500.0 ? left : 500.0;
      product *= exp(step);
      left -= step;
    }
    if (product <= 1.0) return count;
    product *= hiprand_uniform_double(state);
    ++count;
  }
}

#endif
#undef KERNELSET_HAS_HIPRAND
#endif
