"""Sources in the style of real ones, cut and torn: each layer stays inside the file, and says
what stands there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.extraction.extract_fuzz import check_facts, check_text_layers
from benchmarks.extraction.mutations import MUTATIONS, mutate_text
from crawler.extract.link import link_commit
from crawler.extract.parser_process.parent import extract_batch_facts

TEMPLATED = """#include <torch/extension.h>
#include <cub/cub.cuh>
#define CUDA_1D_LOOP(i, n) for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += blockDim.x * gridDim.x)
#ifdef USE_ROCM
#define LAUNCH(kernel, grid, block, stream, ...) hipLaunchKernelGGL(kernel, grid, block, 0, stream, __VA_ARGS__)
#else
#define LAUNCH(kernel, grid, block, stream, ...) kernel<<<grid, block, 0, stream>>>(__VA_ARGS__)
#endif
namespace ops { namespace {
constexpr int kThreads = 0x200'0;
template <typename T, int N = 4>
__device__ __forceinline__ T clamp_all(const T* __restrict__ in, T low /* inclusive */) {
  T sum = T(0);
#pragma unroll
  for (int i = 0; i < N; ++i) sum += in[i] < low ? low : in[i];
  return sum;
}
template <typename scalar_t, bool kMasked>
__global__ void __launch_bounds__(kThreads / 2, 2) pooled(const scalar_t* in, scalar_t* out, int n) {
  extern __shared__ unsigned char raw[];
  CUDA_1D_LOOP(i, n) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    out[i] = __ldg(in + i);
#else
    if (kMasked && i % 2) { continue; }
    out[i] = clamp_all<scalar_t>(in + i, '\\'' - 39);
#endif
  }
}
}  // namespace
#define DEF_FILL(type, suffix) extern "C" __global__ void fill_##suffix(type* a, type v) { a[threadIdx.x] = v; }
DEF_FILL(float, f32)
DEF_FILL(double, f64)
void launch(const at::Tensor& x, at::Tensor y, cudaStream_t stream) {
  const dim3 grid((x.numel() + kThreads - 1) / kThreads), block(kThreads);
  AT_DISPATCH_FLOATING_TYPES_AND_HALF(x.scalar_type(), "pooled<<<not a launch>>>", [&] {
    auto kernel = &pooled<scalar_t, true>;
    kernel<<<grid, block, 64 * sizeof(scalar_t), stream>>>(x.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(), x.numel());
    LAUNCH((pooled<scalar_t, false>), grid, block, stream, x.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(), 3);
  });
}
}
"""
PLAIN = """static const char* kSource = R"code(
extern "C" __global__ void add(float* a, const float* b) { a[threadIdx.x] += b[threadIdx.x]; }
)code";
const char* joined = "__global__ void scale(float* a, float s) {\\n"
    "  a[blockIdx.x] *= s;\\n"
    "}\\n";
template <class T> struct Holder { static __global__ void member(T* a) { a[0] = T(1); } T value{}; };
template <> __global__ void Holder<int>::member(int* a) { a[0] = 2; }
struct __align__(16) Box { float x, y; __host__ __device__ Box(float a) : x{a}, y(a) {} };
__global__ void
#if CUDA_VERSION >= 11000
__cluster_dims__(2, 1, 1)
#endif
boxed(Box* boxes, int (*table)[3]) { boxes[0] = Box(1.f); asm volatile("mov.u32 %0, %%laneid;" : "=r"(table[0][0])); }
int main() {
  void* args[] = {nullptr, nullptr};
  cudaLaunchKernel((void*)boxed, dim3(1), dim3(32), args, 0, nullptr);
  Holder<float>::member<<<1, 2>>>(nullptr);
  return 0;
}
"""
SCRIPT = '''import cupy
kernel = cupy.RawKernel(r"""
extern "C" __global__
void k(float* a) { if (a[0] < 1) { a[0] = '}'; } }
""", "k")
template = "__global__ void {name}({type}* a) {{ a[0] = {value}; }}".format(name="x", type="int", value=1)
summed = "__global__ void s(" + "int* a" + ") { a[0] = %d; }" % 3
'''
SHAPED = {"a.cu": TEMPLATED, "b.cu": PLAIN, "c.py": SCRIPT}


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from(sorted(SHAPED)),
    st.lists(st.sampled_from(sorted(MUTATIONS)), max_size=3),
    st.integers(0, 1 << 30),
)
def test_every_layer_of_text_stays_inside_what_it_is_given(
    name: str, kinds: list[str], seed: int
) -> None:
    check_text_layers(name, mutate_text(SHAPED[name], kinds, seed))


def test_the_parse_of_torn_sources_stays_inside_them(
    project: Callable[..., Any],
) -> None:
    damaged = [
        (kind, "a.cu" if number % 2 else "b.cu")
        for number, kind in enumerate(sorted(MUTATIONS))
    ]
    files = {
        f"{kind}_{name}": mutate_text(SHAPED[name], [kind], 7) for kind, name in damaged
    }
    planted = project(files)
    answers = list(extract_batch_facts(planted.root, planted.commands))
    assert {facts.failure for facts in answers} == {""}
    for facts in answers:
        check_facts(planted.root, facts)
    link_commit(answers)
