"""Programs that need more than their own text: textures, libraries, helpers, C, arguments."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.model import CompileCommand, Dialect, FlagsOrigin
from crawler.validate.programs.author_launches import ProgramReport, observe_program
from crawler.validate.programs.program_sources import ProgramSources

pytestmark = pytest.mark.apt

TEXTURES = r"""#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>
texture<float, 2, cudaReadModeElementType> plane;
texture<unsigned char, 1, cudaReadModeNormalizedFloat> bytes;
surface<void, 2> target;
__global__ void fetch(cudaTextureObject_t linear, cudaSurfaceObject_t written, float* r) {
  int i = threadIdx.x;
  r[i] = tex2D<float>(linear, i + 0.5f, 1.0f);
  r[4 + i] = tex2D(plane, i + 0.5f, 1.5f);
  r[8 + i] = tex1Dfetch(bytes, i) + tex1Dfetch(bytes, 99);
  r[12 + i] = tex2D<float>(linear, i - 9.0f, -9.0f);
  surf2Dwrite(float(i), written, i * 4, 1);
  surf2Dwrite(2.0f * i, target, i * 4, 0);
}
__global__ void fetch_layer(cudaTextureObject_t layers, float* r) {
  r[threadIdx.x] = tex2DLayered<float>(layers, 0.6f, 1.1f, threadIdx.x);
}
int main() {
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray *from, *to, *layers;
  cudaMallocArray(&from, &format, 4, 2);
  cudaMallocArray(&to, &format, 4, 2, cudaArraySurfaceLoadStore);
  cudaMalloc3DArray(&layers, &format, make_cudaExtent(2, 2, 4), cudaArrayLayered);
  float h[16], r[16];
  for (int i = 0; i < 16; ++i) h[i] = i;
  cudaMemcpyToArray(from, 0, 0, h, 32, cudaMemcpyHostToDevice);
  cudaMemcpy3DParms box = {0};
  box.srcPtr = make_cudaPitchedPtr(h, 8, 2, 2);
  box.dstArray = layers;
  box.extent = make_cudaExtent(2, 2, 4);
  cudaMemcpy3D(&box);

  cudaResourceDesc what;
  cudaTextureDesc how;
  memset(&what, 0, sizeof what);
  memset(&how, 0, sizeof how);
  what.resType = cudaResourceTypeArray;
  what.res.array.array = from;
  how.filterMode = cudaFilterModeLinear;
  how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
  cudaTextureObject_t linear, wrapped;
  cudaCreateTextureObject(&linear, &what, &how, NULL);
  what.res.array.array = layers;
  how.filterMode = cudaFilterModePoint;
  how.normalizedCoords = 1;
  how.addressMode[1] = cudaAddressModeWrap;
  cudaCreateTextureObject(&wrapped, &what, &how, NULL);
  what.res.array.array = to;
  cudaSurfaceObject_t written;
  cudaCreateSurfaceObject(&written, &what);
  unsigned char* b;
  cudaMalloc(&b, 4);
  cudaMemset(b, 51, 4);
  cudaBindTexture(0, bytes, b, 4);
  cudaBindTextureToArray(plane, from, format);
  cudaBindSurfaceToArray(target, to);

  float* out;
  cudaMalloc(&out, sizeof r);
  fetch<<<1, 4>>>(linear, written, out);
  cudaMemcpy(r, out, sizeof r, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 16; ++i) printf("%g ", r[i]);
  cudaMemcpy2DFromArray(h, 16, to, 0, 0, 16, 2, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 8; ++i) printf("%g ", h[i]);
  fetch_layer<<<1, 4>>>(wrapped, out);
  cudaMemcpy(r, out, 16, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 4; ++i) printf("%g ", r[i]);
}
"""
LIBRARY = r"""#include <cuda_runtime.h>
#include <curand.h>
#include <helper_cuda.h>
#include <helper_math.h>
#include <helper_timer.h>
#include <stdio.h>
__global__ void move(float3* places, const float* by, int n) {
  int i = threadIdx.x;
  if (i < n) places[i] = lerp(places[i], make_float3(by[i]), 0.5f) + cross(places[i], places[i]);
}
int main(int argc, char** argv) {
  const int n = 64;
  findCudaDevice(argc, (const char**)argv);
  StopWatchInterface* timer = NULL;
  sdkCreateTimer(&timer);
  float3* places;
  float* by;
  checkCudaErrors(cudaMalloc(&places, n * sizeof(float3)));
  checkCudaErrors(cudaMalloc(&by, n * sizeof(float)));
  checkCudaErrors(cudaMemset(places, 0, n * sizeof(float3)));
  curandGenerator_t generator;
  checkCudaErrors(curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_DEFAULT));
  checkCudaErrors(curandSetPseudoRandomGeneratorSeed(generator, 42ull));
  checkCudaErrors(curandGenerateUniform(generator, by, n));
  move<<<1, 64>>>(places, by, n);
  getLastCudaError("move");
  float3 h[n];
  checkCudaErrors(cudaMemcpy(h, places, sizeof h, cudaMemcpyDeviceToHost));
  int good = 0;
  for (int i = 0; i < n; ++i) good += h[i].x > 0 && h[i].x <= 0.5f && h[i].x == h[i].z;
  printf("%d\n", good);
  sdkDeleteTimer(&timer);
}
"""
SHIFT = r"""#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
extern "C" int read_size(char* word);
__global__ void count(int* to) { to[threadIdx.x] = threadIdx.x; }
int main(int argc, char** argv) {
  if (argc < 2) return printf("usage: shift SIZE\n"), 1;
  int n = read_size(argv[1]), *to, last;
  cudaMalloc(&to, n * sizeof(int));
  count << <1, n >> >(to);
  cudaMemcpy(&last, to + n - 1, sizeof last, cudaMemcpyDeviceToHost);
  printf("%d\n", last);
}
"""
TABLE = r"""#include <cuda_runtime.h>
#include <stdio.h>
template <int step> __global__ void scale(float* x, int n) {
  int i = threadIdx.x;
  if (i < n) x[i] *= step;
}
struct Choice { void* kernel; int threads; };
template <int step> Choice choose() { return {(void*)scale<step>, 32}; }
int main() {
  float h[4] = {1, 2, 3, 4}, *x;
  int n = 4;
  cudaMalloc(&x, sizeof h);
  cudaMemcpy(x, h, sizeof h, cudaMemcpyHostToDevice);
  void* arguments[] = {&x, &n};
  for (Choice choice : {choose<2>(), choose<5>()}) {
    cudaLaunchKernel(choice.kernel, 1, choice.threads, arguments, 0, 0);
  }
  cudaMemcpy(h, x, sizeof h, cudaMemcpyDeviceToHost);
  printf("%g %g\n", h[0], h[3]);
}
"""
OLD_C = "int read_size(word) char* word; { int new = atoi(word); return new; }\n"


def observe(tmp_path: Path, files: dict[str, str]) -> ProgramReport:
    tmp_path.chmod(0o755)
    for name, content in files.items():
        (tmp_path / name).write_text(content)

    commands = [
        CompileCommand(
            directory=".",
            file=name,
            arguments=(),
            dialect=Dialect.CUDA if name.endswith(".cu") else None,
            origin=FlagsOrigin.SYNTHESISED,
        )
        for name in files
        if name.endswith((".cu", ".c"))
    ]
    sources = ProgramSources(main=commands[0], neighbours=tuple(commands[1:]))
    return observe_program(tmp_path, sources)


def test_textures_and_surfaces_are_read_and_written(tmp_path: Path) -> None:
    report = observe(tmp_path, {"main.cu": TEXTURES})

    assert report.code == "", report.message
    values = [float(word) for word in report.output.split()]
    # half of one row and half of the next, a row, bytes over 255 with none behind, an edge
    assert values[:16] == [2, 3, 4, 5, 4, 5, 6, 7, *[0.2] * 4, *[0] * 4]
    assert values[16:24] == [0, 2, 4, 6, 0, 1, 2, 3]
    assert values[24:] == [1, 5, 9, 13]
    assert [kernel.fault for kernel in report.kernels] == [None, None]


def test_helpers_of_the_samples_and_curand_need_not_be_there(tmp_path: Path) -> None:
    report = observe(tmp_path, {"main.cu": LIBRARY})

    assert report.code == "", report.message
    assert report.output.splitlines()[-1] == "64"


def test_a_kernel_is_launched_by_an_address_from_a_table(tmp_path: Path) -> None:
    report = observe(tmp_path, {"main.cu": TABLE})

    assert report.code == "", report.message
    assert report.output == "10 40\n"
    assert [kernel.fault for kernel in report.kernels] == [None]


def test_a_neighbour_in_old_c_is_linked_and_a_script_names_the_arguments(
    tmp_path: Path,
) -> None:
    files = {"shift.cu": SHIFT, "size.c": OLD_C, "run.sh": "./shift 48\n"}

    report = observe(tmp_path, files)

    assert report.code == "", report.message
    assert report.output == "47\n"
    (kernel,) = report.kernels
    assert kernel.configurations == (((1, 1, 1), (48, 1, 1)),)


def test_a_program_that_writes_a_file_goes_on(tmp_path: Path) -> None:
    text = SHIFT.replace(
        "cudaMalloc(&to",
        'FILE* log = fopen("log", "w"); if (!log) return 2; cudaMalloc(&to',
    )
    files = {"shift.cu": text, "size.c": OLD_C, "README": "$ ./shift 32\n"}

    report = observe(tmp_path, files)

    assert report.output == "31\n"
    assert not (tmp_path / "log").exists()
