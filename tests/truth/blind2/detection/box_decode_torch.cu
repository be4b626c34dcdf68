//: defect boxes-have-a-score-behind-them: out-of-bounds
//- const float* anchor = anchors + i * 4;
//+ const float* anchor = anchors + i * 5;
//: defect class-offset-uses-the-wrong-stride: out-of-bounds
//- const float* delta = deltas + (i * classes + label) * 4;
//+ const float* delta = deltas + (i * classes + label + 1) * 4;
//: defect labels-are-believed: out-of-bounds
//- if (label < 0 || label >= classes) {
//+ if (label < 0) {
#include <torch/extension.h>

__global__ void decode_boxes_kernel(const float* anchors, const float* deltas, const int64_t* labels, float* boxes,
                                    int64_t n, int64_t classes) {
  for (int64_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (int64_t)blockDim.x * gridDim.x) {
    float* box = boxes + i * 4;
    const int64_t label = labels[i];
    if (label < 0 || label >= classes) {
      box[0] = box[1] = box[2] = box[3] = 0.f;
      continue;
    }
    const float* anchor = anchors + i * 4;
    const float* delta = deltas + (i * classes + label) * 4;
    const float w = anchor[2] - anchor[0];
    const float h = anchor[3] - anchor[1];
    const float cx = anchor[0] + 0.5f * w + delta[0] * w;
    const float cy = anchor[1] + 0.5f * h + delta[1] * h;
    const float bw = w * expf(fminf(delta[2], 4.f));
    const float bh = h * expf(fminf(delta[3], 4.f));
    box[0] = cx - 0.5f * bw;
    box[1] = cy - 0.5f * bh;
    box[2] = cx + 0.5f * bw;
    box[3] = cy + 0.5f * bh;
  }
}

at::Tensor decode_boxes(const at::Tensor& anchors, const at::Tensor& deltas, const at::Tensor& labels) {
  TORCH_CHECK(anchors.dim() == 2 && anchors.size(1) == 4, "anchors must be [n, 4]");
  const int64_t n = anchors.size(0);
  TORCH_CHECK(deltas.dim() == 3 && deltas.size(0) == n && deltas.size(2) == 4, "deltas must be [n, classes, 4]");
  TORCH_CHECK(labels.dim() == 1 && labels.size(0) == n);
  TORCH_CHECK(anchors.scalar_type() == at::kFloat && deltas.scalar_type() == at::kFloat);
  TORCH_CHECK(labels.scalar_type() == at::kLong);
  at::Tensor a = anchors.contiguous(), d = deltas.contiguous(), l = labels.contiguous();
  at::Tensor boxes = at::empty_like(a);
  if (n == 0) return boxes;
  const int blocks = std::min<int64_t>((n + 255) / 256, 4096);
  decode_boxes_kernel<<<blocks, 256>>>(a.data_ptr<float>(), d.data_ptr<float>(), l.data_ptr<int64_t>(),
                                       boxes.data_ptr<float>(), n, d.size(1));
  return boxes;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("decode_boxes", &decode_boxes); }
