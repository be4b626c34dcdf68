// Arithmetic of CUDA's small vectors, as programs in the manner of CUDA's samples write it.
// Rule: the interface of "helper_math.h" in CUDA's samples, which many projects use and do not bring.
#pragma once
#include <cmath>
#include <cuda_runtime.h>

typedef unsigned int uint;
typedef unsigned short ushort;
#define KS_V inline __host__ __device__

#ifndef __CUDACC__
inline float fminf(float a, float b) { return a < b ? a : b; }
inline float fmaxf(float a, float b) { return a > b ? a : b; }
inline int max(int a, int b) { return a > b ? a : b; }
inline int min(int a, int b) { return a < b ? a : b; }
inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }
#endif

// `EACH(F)` is `F(x) F(y) …` with commas, for the members of a vector
#define KS_EACH2(F) F(x), F(y)
#define KS_EACH3(F) F(x), F(y), F(z)
#define KS_EACH4(F) F(x), F(y), F(z), F(w)
#define KS_BOTH_ADD(m) a.m + b.m
#define KS_BOTH_SUB(m) a.m - b.m
#define KS_BOTH_MUL(m) a.m *b.m
#define KS_BOTH_DIV(m) a.m / b.m
#define KS_FIRST_ADD(m) a.m + b
#define KS_FIRST_SUB(m) a.m - b
#define KS_FIRST_MUL(m) a.m *b
#define KS_FIRST_DIV(m) a.m / b
#define KS_SECOND_ADD(m) a + b.m
#define KS_SECOND_SUB(m) a - b.m
#define KS_SECOND_MUL(m) a *b.m
#define KS_SECOND_DIV(m) a / b.m
#define KS_OPERATOR(V, S, EACH, SIGN, NAME)                                              \
  KS_V V operator SIGN(V a, V b) { return make_##V(EACH(KS_BOTH_##NAME)); }              \
  KS_V V operator SIGN(V a, S b) { return make_##V(EACH(KS_FIRST_##NAME)); }             \
  KS_V V operator SIGN(S a, V b) { return make_##V(EACH(KS_SECOND_##NAME)); }            \
  KS_V void operator SIGN##=(V &a, V b) { a = a SIGN b; }                                \
  KS_V void operator SIGN##=(V &a, S b) { a = a SIGN b; }
#define KS_SAME(m) s
#define KS_MIN_INT(m) (a.m < b.m ? a.m : b.m)
#define KS_MAX_INT(m) (a.m > b.m ? a.m : b.m)
#define KS_CLAMP_BOTH(m) clamp(v.m, a.m, b.m)
#define KS_CLAMP(m) clamp(v.m, a, b)
#define KS_ARITHMETIC(V, S, EACH)                                                        \
  KS_V V make_##V(S s) { return make_##V(EACH(KS_SAME)); }                               \
  KS_OPERATOR(V, S, EACH, +, ADD)                                                        \
  KS_OPERATOR(V, S, EACH, -, SUB)                                                        \
  KS_OPERATOR(V, S, EACH, *, MUL)                                                        \
  KS_V V clamp(V v, S a, S b) { return make_##V(EACH(KS_CLAMP)); }                       \
  KS_V V clamp(V v, V a, V b) { return make_##V(EACH(KS_CLAMP_BOTH)); }

KS_V float clamp(float f, float a, float b) { return fmaxf(a, fminf(f, b)); }
KS_V int clamp(int f, int a, int b) { return f < a ? a : f > b ? b : f; }
KS_V uint clamp(uint f, uint a, uint b) { return f < a ? a : f > b ? b : f; }
KS_V float lerp(float a, float b, float t) { return a + t * (b - a); }
KS_V float fracf(float v) { return v - floorf(v); }
KS_V float smoothstep(float a, float b, float x) {
  const float y = clamp((x - a) / (b - a), 0.0f, 1.0f);
  return y * y * (3.0f - 2.0f * y);
}
KS_ARITHMETIC(float2, float, KS_EACH2) KS_ARITHMETIC(float3, float, KS_EACH3) KS_ARITHMETIC(float4, float, KS_EACH4)
KS_ARITHMETIC(int2, int, KS_EACH2) KS_ARITHMETIC(int3, int, KS_EACH3) KS_ARITHMETIC(int4, int, KS_EACH4)
KS_ARITHMETIC(uint2, uint, KS_EACH2) KS_ARITHMETIC(uint3, uint, KS_EACH3) KS_ARITHMETIC(uint4, uint, KS_EACH4)

#define KS_NEGATED(m) -a.m
#define KS_SMALLER(m) fminf(a.m, b.m)
#define KS_LARGER(m) fmaxf(a.m, b.m)
#define KS_FLOOR(m) floorf(v.m)
#define KS_FRACTION(m) fracf(v.m)
#define KS_ABSOLUTE(m) fabsf(v.m)
#define KS_REMAINDER(m) fmodf(a.m, b.m)
#define KS_STEP(m) smoothstep(a.m, b.m, x.m)
#define KS_REAL(V, EACH)                                                                 \
  KS_OPERATOR(V, float, EACH, /, DIV)                                                    \
  KS_V V operator-(const V &a) { return make_##V(EACH(KS_NEGATED)); }                    \
  KS_V V fminf(V a, V b) { return make_##V(EACH(KS_SMALLER)); }                          \
  KS_V V fmaxf(V a, V b) { return make_##V(EACH(KS_LARGER)); }                           \
  KS_V V lerp(V a, V b, float t) { return a + t * (b - a); }                             \
  KS_V float length(V v) { return sqrtf(dot(v, v)); }                                    \
  KS_V V normalize(V v) { return v * rsqrtf(dot(v, v)); }                                \
  KS_V V floorf(V v) { return make_##V(EACH(KS_FLOOR)); }                                \
  KS_V V fracf(V v) { return make_##V(EACH(KS_FRACTION)); }                              \
  KS_V V fabs(V v) { return make_##V(EACH(KS_ABSOLUTE)); }                               \
  KS_V V fmodf(V a, V b) { return make_##V(EACH(KS_REMAINDER)); }                        \
  KS_V V smoothstep(V a, V b, V x) { return make_##V(EACH(KS_STEP)); }
KS_V float dot(float2 a, float2 b) { return a.x * b.x + a.y * b.y; }
KS_V float dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
KS_V float dot(float4 a, float4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
KS_REAL(float2, KS_EACH2) KS_REAL(float3, KS_EACH3) KS_REAL(float4, KS_EACH4)

#define KS_WHOLE(V, EACH)                                                                \
  KS_V V min(V a, V b) { return make_##V(EACH(KS_MIN_INT)); }                            \
  KS_V V max(V a, V b) { return make_##V(EACH(KS_MAX_INT)); }
KS_WHOLE(int2, KS_EACH2) KS_WHOLE(int3, KS_EACH3) KS_WHOLE(int4, KS_EACH4)
KS_WHOLE(uint2, KS_EACH2) KS_WHOLE(uint3, KS_EACH3) KS_WHOLE(uint4, KS_EACH4)
KS_V int2 operator-(const int2 &a) { return make_int2(KS_EACH2(KS_NEGATED)); }
KS_V int3 operator-(const int3 &a) { return make_int3(KS_EACH3(KS_NEGATED)); }
KS_V int4 operator-(const int4 &a) { return make_int4(KS_EACH4(KS_NEGATED)); }
#define KS_MAGNITUDE(m) (v.m < 0 ? -v.m : v.m)
KS_V int2 abs(int2 v) { return make_int2(KS_EACH2(KS_MAGNITUDE)); }
KS_V int3 abs(int3 v) { return make_int3(KS_EACH3(KS_MAGNITUDE)); }
KS_V int4 abs(int4 v) { return make_int4(KS_EACH4(KS_MAGNITUDE)); }

// from vectors of other types and lengths
#define KS_LONGER(S)                                                                     \
  KS_V S##2 make_##S##2(S##3 a) { return make_##S##2(a.x, a.y); }                        \
  KS_V S##3 make_##S##3(S##2 a) { return make_##S##3(a.x, a.y, 0); }                     \
  KS_V S##3 make_##S##3(S##4 a) { return make_##S##3(a.x, a.y, a.z); }                   \
  KS_V S##4 make_##S##4(S##3 a) { return make_##S##4(a.x, a.y, a.z, 0); }
KS_LONGER(float) KS_LONGER(int) KS_LONGER(uint)
KS_V float3 make_float3(float2 a, float s) { return make_float3(a.x, a.y, s); }
KS_V float4 make_float4(float3 a, float s) { return make_float4(a.x, a.y, a.z, s); }
KS_V int3 make_int3(int2 a, int s) { return make_int3(a.x, a.y, s); }
KS_V int4 make_int4(int3 a, int s) { return make_int4(a.x, a.y, a.z, s); }
KS_V uint3 make_uint3(uint2 a, uint s) { return make_uint3(a.x, a.y, s); }
KS_V uint4 make_uint4(uint3 a, uint s) { return make_uint4(a.x, a.y, a.z, s); }
#define KS_OF(TO, FROM)                                                                                        \
  KS_V TO##2 make_##TO##2(FROM##2 a) { return make_##TO##2(TO(a.x), TO(a.y)); }                                \
  KS_V TO##3 make_##TO##3(FROM##3 a) { return make_##TO##3(TO(a.x), TO(a.y), TO(a.z)); }                       \
  KS_V TO##4 make_##TO##4(FROM##4 a) { return make_##TO##4(TO(a.x), TO(a.y), TO(a.z), TO(a.w)); }
KS_OF(float, int) KS_OF(float, uint) KS_OF(int, float) KS_OF(int, uint) KS_OF(uint, int) KS_OF(uint, float)

KS_V float3 cross(float3 a, float3 b) {
  return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
KS_V float3 reflect(float3 i, float3 n) { return i - 2.0f * n * dot(n, i); }

#undef KS_OF
#undef KS_LONGER
#undef KS_WHOLE
#undef KS_REAL
#undef KS_ARITHMETIC
#undef KS_OPERATOR
#undef KS_V
