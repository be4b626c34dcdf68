// The device functions of cuRAND and hipRAND: KERNELSET_RAND(name) puts the family's prefix before a name.
// The interface and the distributions are theirs; XORWOW and MRG32k3a do not give their sequences.
#ifndef KERNELSET_RANDOM_H
#define KERNELSET_RANDOM_H

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

struct KERNELSET_RAND(StatePhilox4_32_10) : kernelset::Philox {};
struct KERNELSET_RAND(StateXORWOW) : kernelset::Philox {};
struct KERNELSET_RAND(StateMRG32k3a) : kernelset::Philox {};
using KERNELSET_RAND(StatePhilox4_32_10_t) = KERNELSET_RAND(StatePhilox4_32_10);
using KERNELSET_RAND(StateXORWOW_t) = KERNELSET_RAND(StateXORWOW);
using KERNELSET_RAND(StateMRG32k3a_t) = KERNELSET_RAND(StateMRG32k3a);
using KERNELSET_RAND(State) = KERNELSET_RAND(StateXORWOW);
using KERNELSET_RAND(State_t) = KERNELSET_RAND(StateXORWOW);

template <class State>
__device__ inline void KERNELSET_RAND(_init)(unsigned long long seed, unsigned long long stream,
                                             unsigned long long offset, State* state) {
  state->start(seed, stream, offset);
}
template <class State>
__device__ inline void skipahead(unsigned long long count, State* state) {
  state->skip(count);
}
template <class State>
__device__ inline unsigned KERNELSET_RAND()(State* state) {
  return state->next();
}
template <class State>
__device__ inline uint4 KERNELSET_RAND(4)(State* state) {
  unsigned x = state->next(), y = state->next(), z = state->next();
  return make_uint4(x, y, z, state->next());
}

// in (0, 1]
template <class State>
__device__ inline float KERNELSET_RAND(_uniform)(State* state) {
  return static_cast<float>(state->next()) * 0x1p-32f + 0x1p-33f;
}
template <class State>
__device__ inline double KERNELSET_RAND(_uniform_double)(State* state) {
  unsigned long long high = state->next();
  return static_cast<double>((high << 21) ^ state->next()) * 0x1p-53 + 0x1p-54;
}
template <class State>
__device__ inline float2 KERNELSET_RAND(_uniform2)(State* state) {
  float x = KERNELSET_RAND(_uniform)(state);
  return make_float2(x, KERNELSET_RAND(_uniform)(state));
}
template <class State>
__device__ inline float4 KERNELSET_RAND(_uniform4)(State* state) {
  float2 low = KERNELSET_RAND(_uniform2)(state), high = KERNELSET_RAND(_uniform2)(state);
  return make_float4(low.x, low.y, high.x, high.y);
}
template <class State>
__device__ inline double2 KERNELSET_RAND(_uniform2_double)(State* state) {
  double x = KERNELSET_RAND(_uniform_double)(state);
  return make_double2(x, KERNELSET_RAND(_uniform_double)(state));
}

// Box and Muller
template <class State>
__device__ inline float2 KERNELSET_RAND(_normal2)(State* state) {
  float radius = sqrtf(-2.0f * logf(KERNELSET_RAND(_uniform)(state)));
  float angle = 6.2831853f * KERNELSET_RAND(_uniform)(state);
  return make_float2(radius * cosf(angle), radius * sinf(angle));
}
template <class State>
__device__ inline float KERNELSET_RAND(_normal)(State* state) {
  if (state->has_spare) {
    state->has_spare = false;
    return state->spare;
  }
  float2 both = KERNELSET_RAND(_normal2)(state);
  state->spare = both.y;
  state->has_spare = true;
  return both.x;
}
template <class State>
__device__ inline float4 KERNELSET_RAND(_normal4)(State* state) {
  float2 low = KERNELSET_RAND(_normal2)(state), high = KERNELSET_RAND(_normal2)(state);
  return make_float4(low.x, low.y, high.x, high.y);
}
template <class State>
__device__ inline double2 KERNELSET_RAND(_normal2_double)(State* state) {
  double radius = sqrt(-2.0 * log(KERNELSET_RAND(_uniform_double)(state)));
  double angle = 6.283185307179586 * KERNELSET_RAND(_uniform_double)(state);
  return make_double2(radius * cos(angle), radius * sin(angle));
}
template <class State>
__device__ inline double KERNELSET_RAND(_normal_double)(State* state) {
  return KERNELSET_RAND(_normal2_double)(state).x;
}
template <class State>
__device__ inline float KERNELSET_RAND(_log_normal)(State* state, float mean, float deviation) {
  return expf(mean + deviation * KERNELSET_RAND(_normal)(state));
}
template <class State>
__device__ inline double KERNELSET_RAND(_log_normal_double)(State* state, double mean, double deviation) {
  return exp(mean + deviation * KERNELSET_RAND(_normal_double)(state));
}
// Knuth's product of uniforms, in steps so that the product does not underflow
template <class State>
__device__ inline unsigned KERNELSET_RAND(_poisson)(State* state, double mean) {
  unsigned count = 0;
  double left = mean;
  double product = KERNELSET_RAND(_uniform_double)(state);
  while (true) {
    while (product < 1.0 && left > 0.0) {
      double step = left < 500.0 ? left : 500.0;
      product *= exp(step);
      left -= step;
    }
    if (product <= 1.0) return count;
    product *= KERNELSET_RAND(_uniform_double)(state);
    ++count;
  }
}

#endif
