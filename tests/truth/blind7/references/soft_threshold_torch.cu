//: defect values-below-the-band-go-up-twice: own-check|wrong-value
//- return value < -band ? value + band : scalar_t(0);
//+ return value < -band ? value + band + band : scalar_t(0);
#include <torch/extension.h>

namespace {

template <typename scalar_t>
__device__ scalar_t shrink_one(scalar_t value, scalar_t band) {
  if (value > band) return value - band;
  return value < -band ? value + band : scalar_t(0);
}

template <typename scalar_t>
__global__ void shrink_kernel(const scalar_t* x, const scalar_t* bands, scalar_t* out, int64_t rows, int64_t columns) {
  const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows * columns) out[i] = shrink_one(x[i], bands[i / columns]);
}

}  // namespace

at::Tensor shrink_cuda(const at::Tensor& x, const at::Tensor& bands) {
  auto out = at::empty_like(x);
  const int64_t rows = x.size(0), columns = x.size(1);
  if (out.numel() == 0) return out;
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "shrink_cuda", [&] {
    shrink_kernel<scalar_t><<<(rows * columns + 127) / 128, 128>>>(x.data_ptr<scalar_t>(), bands.data_ptr<scalar_t>(),
                                                                   out.data_ptr<scalar_t>(), rows, columns);
  });
  return out;
}

at::Tensor shrink_cpu(const at::Tensor& x, const at::Tensor& bands) {
  auto out = at::empty_like(x);
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "shrink_cpu", [&] {
    const scalar_t* from = x.data_ptr<scalar_t>();
    scalar_t* to = out.data_ptr<scalar_t>();
    for (int64_t r = 0; r < x.size(0); ++r) {
      const scalar_t band = bands.data_ptr<scalar_t>()[r];
      for (int64_t c = 0; c < x.size(1); ++c, ++from, ++to)
        *to = *from > band ? *from - band : *from < -band ? *from + band : 0;
    }
  });
  return out;
}

at::Tensor shrink(at::Tensor x, at::Tensor bands) {
  TORCH_CHECK(x.dim() == 2 && bands.dim() == 1 && bands.size(0) == x.size(0));
  TORCH_CHECK(x.scalar_type() == bands.scalar_type() && x.device() == bands.device());
  x = x.contiguous();
  bands = bands.contiguous();
  return x.is_cuda() ? shrink_cuda(x, bands) : shrink_cpu(x, bands);
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("shrink", &shrink, "Soft threshold"); }
