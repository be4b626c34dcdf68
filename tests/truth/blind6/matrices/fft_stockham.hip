//: defect twiddles-of-the-stage-before: own-check
//- const float angle = -2.0f * PI * k / (2 * half);
//+ const float angle = -2.0f * PI * k / half;
#include <hip/hip_runtime.h>

#include <complex>
#include <cstdio>
#include <utility>
#include <vector>

#define PI 3.14159265358979f

// A stage of a radix-2 Stockham transform: `half` is the length of what is done already.
__global__ void fft_stage(const float2* in, float2* out, int n, int half) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n / 2) return;
  const int k = i % half;
  const float angle = -2.0f * PI * k / (2 * half);
  const float2 a = in[i], b = in[i + n / 2];
  const float c = cosf(angle), s = sinf(angle);
  const float2 t = make_float2(b.x * c - b.y * s, b.x * s + b.y * c);
  const int to = (i / half) * half * 2 + k;
  out[to] = make_float2(a.x + t.x, a.y + t.y);
  out[to + half] = make_float2(a.x - t.x, a.y - t.y);
}

int main() {
  const int n = 64;
  std::vector<float2> x(n), y(n);
  for (int i = 0; i < n; ++i) x[i] = make_float2((float)(i % 7) - 3.f, (float)(i * i % 5));
  float2 *from, *to;
  if (hipMalloc(&from, n * sizeof(float2)) != hipSuccess || hipMalloc(&to, n * sizeof(float2)) != hipSuccess) return 1;
  (void)hipMemcpy(from, x.data(), n * sizeof(float2), hipMemcpyHostToDevice);
  for (int half = 1; half < n; half *= 2) {
    fft_stage<<<1, n / 2>>>(from, to, n, half);
    std::swap(from, to);
  }
  (void)hipMemcpy(y.data(), from, n * sizeof(float2), hipMemcpyDeviceToHost);
  (void)hipFree(from);
  (void)hipFree(to);
  double worst = 0;
  for (int k = 0; k < n; ++k) {
    std::complex<double> sum = 0;
    for (int i = 0; i < n; ++i)
      sum += std::complex<double>(x[i].x, x[i].y) * std::polar(1.0, -2.0 * 3.14159265358979 * k * i / n);
    worst = std::max(worst, std::abs(sum - std::complex<double>(y[k].x, y[k].y)));
  }
  if (worst > 1e-3) {
    std::fprintf(stderr, "error: transform differs by %g\n", worst);
    return 2;
  }
  std::printf("ok, differs by %g\n", worst);
  return 0;
}
