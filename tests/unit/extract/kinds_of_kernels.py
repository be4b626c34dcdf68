"""Kernels of every kind, and which layer finds each."""

from __future__ import annotations

KINDS = r"""
#define DEF_K(T) __global__ void made_##T(T* out) { out[threadIdx.x] = T(1); }
DEF_K(float)
DEF_K(double)
#define KERNEL __global__
KERNEL void aliased(int* out) { out[0] = 1; }
#define KERNEL_DEF(name) extern "C" __global__ void name
KERNEL_DEF(named_by_macro)(int* out) { out[0] = 2; }
constexpr int kThreads = 128;
#define MIN_BLOCKS 2
__launch_bounds__(kThreads * 2, MIN_BLOCKS + (1)) __global__ void bounds_before(int* out) { out[0] = 3; }
__global__ __launch_bounds__(kThreads) void bounds_after(int* out) { out[0] = 3; }
__attribute__((noinline)) static __global__ void attributed(int* out) { out[0] = 4; }
namespace outer { namespace { namespace inner {
__global__ void hidden(int* out) { out[0] = 5; }
} } }
namespace a::b { __global__ void deep(int* out) { out[0] = 5; } }
extern "C" __global__ void c_linkage(int* out) { out[0] = 6; }
extern "C" { __global__ void c_block(int* out) { out[0] = 7; } }
#ifdef __CUDA_ARCH__
__global__ void device_only(int* out) { out[0] = 10; }
#endif
#if __CUDA_ARCH__ >= 530
__global__ void new_arch(int* out) { out[0] = 10; }
#endif
#if 0
__global__ void dead(int* out) { out[0] = 11; }
#elif defined(NEVER)
__global__ void switched_on(int* out) { out[0] = 11; }
#elif __has_include(<no/such/header>)
__global__ void left_out(int* out) { out[0] = 11; }
#endif
// __global__ void commented(int* out) { }
const char* text = "__global__ void quoted(int* out) { }";
const char* raw = R"(__global__ void raw_quoted(int* out) { })";
__global__ void declared_only(int* out);
__global__ void later(int* out);
__global__ void later(int* out) { out[0] = 14; }
__global__ void broken(Missing* out) { out[0] = 15; }
__global__ void after_broken(int* out) { out[0] = 16; }
inline __global__ void inlined(int* out) { out[0] = 17; }
auto __global__ trailing(int* out) -> void { out[0] = 19; }
[[maybe_unused]] __global__ void attr11(int* out) { out[0] = 20; }
__global__ void __cluster_dims__(2, 1, 1) clustered(int* out) { out[0] = 21; }
template <int N, template <typename> class C, typename... Ts>
__global__ void variadic(Ts*... out) { }
template <typename T>
#if defined(WIDE)
__global__ void head(T* out, int wide)
#else
__global__ void head(T* out)
#endif
{ out[0] = T(2); }
struct Holder {
  static const int kN = 4;
  static __global__ void member(int* out) { out[0] = kN; }
  template <typename T> static __global__ void member_template(T* out) { out[0] = T(kN); }
};
void uses(double* out) { Holder::member_template<<<1, 1>>>(out); }
template <typename T> struct Generic { static __global__ void of_template(T* out) { out[0] = T(1); } };
template <typename scalar_t, int kSize = 4, bool>
__global__ void described(scalar_t* __restrict__ out, const float* in, int n, const int& ref, float4 v) { }
"""
BY_AST = {
    *(
        "made_float",
        "made_double",
        "aliased",
        "named_by_macro",
        "bounds_before",
        "bounds_after",
        "attributed",
    ),
    *(
        "outer::inner::hidden",
        "a::b::deep",
        "c_linkage",
        "c_block",
        "device_only",
        "new_arch",
        "later",
        "broken",
    ),
    *(
        "after_broken",
        "inlined",
        "trailing",
        "attr11",
        "clustered",
        "variadic",
        "head",
        "Holder::member",
    ),
    *("Holder::member_template", "Generic::of_template", "described", "switched_on"),
}
BY_A_MACRO = {"switched_on": "seen with -DNEVER=1"}
BY_SYNTAX = {
    "left_out": "in a branch of #if that this unit leaves out",
}
IN_STRINGS = dict.fromkeys(
    ("quoted", "raw_quoted"), "in a string that the program compiles when it runs"
)
