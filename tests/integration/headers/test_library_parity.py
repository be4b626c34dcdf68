"""What our shims offer compiles with the library itself, too: the same calls, both ways."""

from __future__ import annotations

from dataclasses import replace

import pytest

from crawler.libraries.discovery import find_installed
from crawler.model import Dialect, KernelUnit, Status
from crawler.validate.build import build_unit
from tests.small_units import make_small_unit

CUB = {
    "block_reduce": """
      using Reduce = cub::BlockReduce<float, 128>;
      __shared__ typename Reduce::TempStorage temp;
      float sum = Reduce(temp).Sum(x[i]);
      __syncthreads();
      float most = Reduce(temp).Reduce(x[i], cub::Max());
      if (threadIdx.x == 0) x[blockIdx.x] = sum + most;""",
    "block_scan": """
      using Scan = cub::BlockScan<float, 128>;
      __shared__ typename Scan::TempStorage temp;
      float before, total;
      Scan(temp).ExclusiveSum(x[i], before, total);
      __syncthreads();
      Scan(temp).InclusiveScan(before, before, cub::Min());
      x[i] = before + total;""",
    "warp_reduce": """
      using Reduce = cub::WarpReduce<float>;
      __shared__ typename Reduce::TempStorage temp[4];
      x[i] = Reduce(temp[threadIdx.x / 32]).Sum(x[i]);""",
    "warp_scan": """
      using Scan = cub::WarpScan<float>;
      __shared__ typename Scan::TempStorage temp[4];
      Scan scan(temp[threadIdx.x / 32]);
      float value = x[i], first, second, total;
      scan.ExclusiveScan(value, first, 5.0f, cub::Max(), total);
      x[i] = first + total;
      scan.ExclusiveScan(value, first, cub::Max(), total);
      x[i] += total + (threadIdx.x % 32 ? first : 0.0f);
      scan.ExclusiveScan(value, first, cub::Min());
      x[i] += threadIdx.x % 32 ? first : 0.0f;
      scan.Scan(value, first, second, 3.0f, cub::Max());
      x[i] += first + second;
      scan.ExclusiveSum(value, first, total);
      x[i] += first + total;""",
    "warp_scan_of_pairs": """
      using Pair = cub::KeyValuePair<int, double>;
      using Scan = cub::WarpScan<Pair>;
      __shared__ typename Scan::TempStorage temp[4];
      Pair most, largest;
      Scan(temp[threadIdx.x / 32]).InclusiveScan(Pair(i, x[i]), most, cub::ArgMax(), largest);
      x[i] = most.key + most.value + largest.value;""",
    "block_radix_sort": """
      using Sort = cub::BlockRadixSort<float, 128, 2, int>;
      __shared__ typename Sort::TempStorage temp;
      float keys[2] = {x[i], x[i] + 1};
      int values[2] = {i, i + 1};
      Sort(temp).Sort(keys, values);
      Sort(temp).SortDescending(keys, values, 0, 32);
      x[i] = keys[0] + values[1];""",
    "block_load_and_store": """
      using Load = cub::BlockLoad<float, 128, 4, cub::BLOCK_LOAD_TRANSPOSE>;
      using Store = cub::BlockStore<float, 128, 4, cub::BLOCK_STORE_VECTORIZE>;
      __shared__ union { typename Load::TempStorage load; typename Store::TempStorage store; } temp;
      float items[4];
      Load(temp.load).Load(x, items, 300, 0.0f);
      __syncthreads();
      Store(temp.store).Store(x, items);""",
    "key_value_pair": """
      using Pair = cub::KeyValuePair<int, float>;
      using Reduce = cub::BlockReduce<Pair, 128>;
      __shared__ typename Reduce::TempStorage temp;
      Pair best = Reduce(temp).Reduce(Pair(i, x[i]), cub::ArgMax());
      if (threadIdx.x == 0) x[0] = best.key + best.value;""",
    "iterators": """
      cub::CountingInputIterator<int> counted(3);
      cub::ConstantInputIterator<float> constant(2.0f);
      x[i] = counted[i] * constant[0];""",
}
THRUST = {
    "values": """
      thrust::pair<int, float> pair = thrust::make_pair(i, x[i]);
      thrust::tuple<int, float> both = thrust::make_tuple(1, 2.0f);
      x[i] = pair.second + thrust::get<1>(both) + thrust::maximum<float>()(1, x[i]);""",
    "iterators": """
      thrust::counting_iterator<int> first(5);
      thrust::device_ptr<float> pointer = thrust::device_pointer_cast(x);
      x[i] = first[i] + *thrust::raw_pointer_cast(pointer);""",
    "algorithms": """
      thrust::fill(thrust::seq, x, x + 4, 1.0f);
      x[i] = thrust::reduce(thrust::seq, x, x + 4);
      thrust::sort(thrust::seq, x, x + 8);
      int at = thrust::lower_bound(thrust::seq, x, x + 8, 3.0f) - x;
      x[i] += at;""",
}
CUDA = {
    "atomics": """
      cuda::atomic_ref<float, cuda::thread_scope_device> shared(x[0]);
      shared.fetch_add(1.0f, cuda::memory_order_relaxed);""",
    "held atomics": """
      __shared__ cuda::atomic<int, cuda::thread_scope_block> count;
      static_assert(sizeof count == sizeof(int), "");
      count = 3;
      count++;
      count += 2;
      int seen = 6;
      if (count.compare_exchange_weak(seen, 5)) x[0] = count;""",
    "values": """
      cuda::std::array<int, 2> both{i, 2};
      cuda::std::tuple<int, float> pair(1, x[i]);
      x[i] = both[1] + cuda::std::get<1>(pair) + cuda::std::numeric_limits<int>::max();""",
    "bits": """
      x[i] = cuda::std::bit_ceil(unsigned(i)) + cuda::std::popcount(unsigned(i));""",
}
CUTLASS = {
    "division": """
      cutlass::FastDivmod divide(3);
      int quotient, rest;
      divide(quotient, rest, i);
      x[i] = quotient + rest;""",
    "unrolled_loops": """
      cutlass::Array<cutlass::half_t, 8> items;
      items.fill(cutlass::half_t(2.0f));
      x[i] = float(items[i & 7]);""",
    "tensors": """
      using namespace cute;
      auto tensor = make_tensor(make_gmem_ptr(x), make_shape(Int<8>{}, i));
      tensor(1, 2) = 3.0f;""",
}
LIBRARIES = {"cub": "thrust", "thrust": "thrust", "cuda": "cccl", "cutlass": "cutlass"}
"""Which library the names of a namespace are taken from."""
INCLUDES = {
    "shim": {
        "cub": "<cub/cub.cuh>",
        "thrust": "<thrust/thrust.h>",
        "cuda": "<kernelset/libcudacxx.h>",
    },
    "installed": {
        "cub": "<cub/cub.cuh>",
        "thrust": "<thrust/pair.h> <thrust/tuple.h> <thrust/functional.h> <thrust/fill.h>"
        " <thrust/reduce.h> <thrust/sort.h> <thrust/binary_search.h> <thrust/device_ptr.h>"
        " <thrust/execution_policy.h> <thrust/iterator/counting_iterator.h>",
        "cuda": "<cuda/atomic> <cuda/std/array> <cuda/std/bit> <cuda/std/limits> <cuda/std/tuple>",
        "cutlass": "<cutlass/fast_math.h> <cutlass/array.h> <cute/tensor.hpp>",
    },
}
CALLS = [
    pytest.param(namespace, body, id=f"{namespace}-{name}")
    for namespace, bodies in (("cub", CUB), ("thrust", THRUST), ("cuda", CUDA))
    for name, body in bodies.items()
]


def make_unit(namespace: str, body: str, standing: str) -> KernelUnit:
    library = LIBRARIES[namespace]
    version = "shim"
    if standing == "installed":
        installed = find_installed(library)
        if installed is None:
            pytest.skip(f"{library} is not installed")
        version = installed.version

    headers = ("<kernelset/cuda.cuh>", *INCLUDES[standing][namespace].split())
    includes = "".join(f"#include {header}\n" for header in headers)
    source = (
        f"{includes}__global__ void k(float *x) {{\n"
        f"  int i = blockIdx.x * blockDim.x + threadIdx.x;{body}\n}}\n"
    )
    unit = make_small_unit(source, Dialect.CUDA)
    return replace(unit, libraries=((library, version),))


@pytest.mark.apt
@pytest.mark.parametrize("standing", ["shim", "installed"])
@pytest.mark.parametrize(("namespace", "body"), CALLS)
def test_the_same_calls_compile(namespace: str, body: str, standing: str) -> None:
    verdict = build_unit(make_unit(namespace, body, standing), "sm_80").build.pass_call
    assert (verdict.status, verdict.message) == (Status.PASS, "")


@pytest.mark.apt
@pytest.mark.parametrize("body", CUTLASS.values(), ids=CUTLASS)
def test_what_we_have_no_shim_of_compiles_with_the_library(body: str) -> None:
    verdict = build_unit(
        make_unit("cutlass", body, "installed"), "sm_80"
    ).build.pass_call
    assert (verdict.status, verdict.message) == (Status.PASS, "")


@pytest.mark.apt
@pytest.mark.parametrize("name", ["block_reduce", "block_scan", "block_radix_sort"])
def test_what_cccl_holds_of_others_compiles_with_it_alone(name: str) -> None:
    installed = find_installed("cccl")
    if installed is None:
        pytest.skip("cccl is not installed")

    # functors that cub had of its own are libcu++'s since version 3
    body = CUB[name].replace("cub::Max()", "cuda::maximum<>{}")
    body = body.replace("cub::Min()", "cuda::minimum<>{}")
    unit = replace(
        make_unit("cub", f"\n{body}", "shim"), libraries=(("cccl", installed.version),)
    )
    verdict = build_unit(unit, "sm_80").build.pass_call
    assert (verdict.status, verdict.message) == (Status.PASS, "")
