"""Host code round kernels is read against our headers: tests of GoogleTest, tensor maps,
ranges, HIP's own traits.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from crawler.headers.overlay import render_overlay
from crawler.toolchains import discovery
from crawler.toolchains.clang_flags import get_parse_flags, get_parse_prelude

pytestmark = pytest.mark.apt("clang-19")

SOURCES = {
    "tests": """
    #include <gtest/gtest.h>
    template <class T> __global__ void k(T*) {}
    TEST(Plain, launches) {
      ASSERT_EQ(1, 1) << "equal" << std::endl;
      if (sizeof(int) == 4) EXPECT_TRUE(k<int> != nullptr) << "there"; else FAIL() << "not";
      k<float><<<1, 1>>>(nullptr);
      GTEST_SKIP() << "enough";
    }
    template <class T> struct Typed : testing::Test { void run() { k<T><<<1, 1>>>(nullptr); } };
    using Kinds = ::testing::Types<int, double>;
    TYPED_TEST_SUITE(Typed, Kinds);
    TYPED_TEST(Typed, all) {
      TestFixture f;
      EXPECT_THROW(this->run(), int);
      EXPECT_NEAR(1, 2, TypeParam(3));
    }
    struct Given : testing::TestWithParam<int> {};
    TEST_P(Given, one) { int i = GetParam(); ASSERT_NEAR(i, 1, 1); }
    INSTANTIATE_TEST_SUITE_P(Some, Given, testing::Values(1, 2));
    std::set<std::string> names;
    int main(int count, char** words) { ::testing::InitGoogleTest(&count, words); return RUN_ALL_TESTS(); }
    """,
    "tensor maps": """
    #include <cuda.h>
    #include <cudaTypedefs.h>
    static_assert(sizeof(CUtensorMap) == 128 && alignof(CUtensorMap) == 64, "");
    CUresult made(CUtensorMap* map, void* entry, void* at, const cuuint64_t* shape, const cuuint32_t* box) {
      return reinterpret_cast<PFN_cuTensorMapEncodeTiled>(entry)(
          map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, at, shape, shape, box, box, CU_TENSOR_MAP_INTERLEAVE_NONE,
          CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    }
    __global__ void read(const __grid_constant__ CUtensorMap map, unsigned long long* x) { *x = map.opaque[0]; }
    """,
    "containers and the driver": """
    #include <cuda.h>
    #include <thrust/device_vector.h>
    #include <thrust/host_vector.h>
    thrust::host_vector<float> there_and_back(thrust::host_vector<float> given) {
      thrust::device_vector<float> on_device = given;
      thrust::host_vector<float> back = on_device;
      return back;
    }
    CUresult filled(CUdeviceptr at, cudaStream_t stream) {
      CUresult result = CUDA_ERROR_INVALID_CONTEXT;
      result = cuMemsetD32Async(at, 0, 4, stream);
      return result;
    }
    cudaGraphEdgeData edge() { return {cudaGraphKernelNodePortProgrammatic, 0, cudaGraphDependencyTypeProgrammatic}; }
    """,
    "ranges for a profiler": """
    #include <nvToolsExt.h>
    #include <nvtx3/nvtx3.hpp>
    __global__ void k(int*) {}
    void f(int* x) {
      NVTX3_FUNC_RANGE();
      nvtx3::scoped_range range{"step", nvtx3::rgb{1, 2, 3}, nvtx3::payload{4}};
      nvtxEventAttributes_t event = {};
      event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
      event.messageType = NVTX_MESSAGE_TYPE_ASCII;
      event.message.ascii = "k";
      nvtxDomainRangePushEx(nvtxDomainCreate("d"), &event);
      nvtxRangePush("k");
      k<<<1, 2>>>(x);
      nvtxRangePop();
    }
    """,
    "hip traits": """
    #include <hip/hip_runtime.h>
    template <class T> __device__ T kept(T x) {
      __hip_assert(x == x);
      static_assert(__hip_internal::is_same<T, float>::value, "");
      return x;
    }
    __global__ void k(float* x) { *x = kept(*x); }
    const char* arch(const hipDeviceProp_t& device) { return device.gcnArchName; }
    """,
}


@pytest.mark.parametrize("name", SOURCES)
def test_is_read_without_an_error(name: str, tmp_path: Path) -> None:
    clang = discovery.find_clang()
    assert clang is not None
    (tmp_path / "headers.yaml").write_text(render_overlay())
    (tmp_path / "host.cu").write_text(SOURCES[name])
    flags = (
        *get_parse_flags(tmp_path / "headers.yaml"),
        "-include",
        str(get_parse_prelude(with_torch=False)),
    )
    argv: list[str | Path] = [
        clang.path,
        "-fsyntax-only",
        *flags,
        str(tmp_path / "host.cu"),
    ]
    ended = subprocess.run(argv, capture_output=True, text=True, timeout=120)
    assert (ended.returncode, ended.stderr) == (0, "")
