//: defect place-behind-the-end-is-let-through: out-of-bounds
//- taken[i] = place >= 0 && place < count ? source[place] : 0.f;
//+ taken[i] = place >= 0 && place <= count ? source[place] : 0.f;
#include <torch/extension.h>

__global__ void take_wrapped_kernel(const float* source, const int64_t* places, float* taken, int64_t wanted,
                                    int64_t count) {
  const int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i >= wanted) return;
  int64_t place = places[i];
  if (place < 0) place += count;
  taken[i] = place >= 0 && place < count ? source[place] : 0.f;
}

torch::Tensor take_wrapped(torch::Tensor source, torch::Tensor places) {
  TORCH_CHECK(source.dim() == 1 && places.dim() == 1);
  TORCH_CHECK(source.scalar_type() == torch::kFloat && places.scalar_type() == torch::kLong);
  TORCH_CHECK(source.is_contiguous() && places.is_contiguous());
  auto taken = torch::empty({places.size(0)}, source.options());
  if (places.size(0) == 0) return taken;
  take_wrapped_kernel<<<(places.size(0) + 63) / 64, 64>>>(source.data_ptr<float>(), places.data_ptr<int64_t>(),
                                                          taken.data_ptr<float>(), places.size(0), source.size(0));
  return taken;
}
