//: defect division-binds-before-the-product: out-of-bounds
//- const int n = index / (C * H * W);
//+ const int n = index / C * H * W;
#include <torch/extension.h>

template <typename T>
__global__ void channel_shuffle_kernel(const T* in, T* out, int total, int C, int H, int W, int groups) {
  const int index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= total) return;
  const int n = index / (C * H * W);
  const int c = index / (H * W) % C;
  const int hw = index % (H * W);
  const int per_group = C / groups;
  const int source = (c % groups) * per_group + c / groups;
  out[index] = in[(n * C + source) * H * W + hw];
}

torch::Tensor channel_shuffle(torch::Tensor in, int64_t groups) {
  TORCH_CHECK(in.dim() == 4 && in.is_contiguous(), "in must be contiguous NCHW");
  TORCH_CHECK(groups > 0 && in.size(1) % groups == 0, "channels must be a multiple of groups");
  auto out = torch::empty_like(in);
  const int total = in.numel();
  if (total == 0) return out;
  AT_DISPATCH_ALL_TYPES(in.scalar_type(), "channel_shuffle", [&] {
    channel_shuffle_kernel<scalar_t><<<(total + 255) / 256, 256>>>(in.data_ptr<scalar_t>(), out.data_ptr<scalar_t>(),
                                                                   total, in.size(1), in.size(2), in.size(3), groups);
  });
  return out;
}
