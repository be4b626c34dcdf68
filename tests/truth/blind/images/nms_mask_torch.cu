//: defect narrow-one-is-shifted: shift
//- bits |= static_cast<unsigned long long>(overlap(box, block_boxes + i * 4) > threshold) << i;
//+ bits |= (overlap(box, block_boxes + i * 4) > threshold) << i;
//: defect no-barrier-after-staging: race|uninitialised-read
//- __syncthreads();
//+
//: defect last-block-is-taken-as-full: out-of-bounds
//- const int col_size = min(n_boxes - col_start * kPerBlock, kPerBlock);
//+ const int col_size = kPerBlock;
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>

static constexpr int kPerBlock = sizeof(unsigned long long) * 8;

__device__ inline float overlap(const float *a, const float *b) {
  const float width = fmaxf(fminf(a[2], b[2]) - fmaxf(a[0], b[0]), 0.f);
  const float height = fmaxf(fminf(a[3], b[3]) - fmaxf(a[1], b[1]), 0.f);
  const float shared_area = width * height;
  const float area_a = (a[2] - a[0]) * (a[3] - a[1]);
  const float area_b = (b[2] - b[0]) * (b[3] - b[1]);
  return shared_area / fmaxf(area_a + area_b - shared_area, 1e-9f);
}

__global__ void nms_mask(const int n_boxes, const float threshold, const float *boxes, unsigned long long *mask) {
  const int row_start = blockIdx.y;
  const int col_start = blockIdx.x;
  const int row_size = min(n_boxes - row_start * kPerBlock, kPerBlock);
  const int col_size = min(n_boxes - col_start * kPerBlock, kPerBlock);

  __shared__ float block_boxes[kPerBlock * 4];
  if (threadIdx.x < col_size) {
    const float *box = boxes + (col_start * kPerBlock + threadIdx.x) * 4;
    block_boxes[threadIdx.x * 4 + 0] = box[0];
    block_boxes[threadIdx.x * 4 + 1] = box[1];
    block_boxes[threadIdx.x * 4 + 2] = box[2];
    block_boxes[threadIdx.x * 4 + 3] = box[3];
  }
  __syncthreads();

  if (threadIdx.x < row_size) {
    const int box_index = row_start * kPerBlock + threadIdx.x;
    const float *box = boxes + box_index * 4;
    unsigned long long bits = 0;
    const int start = row_start == col_start ? threadIdx.x + 1 : 0;
    for (int i = start; i < col_size; i++) {
      bits |= static_cast<unsigned long long>(overlap(box, block_boxes + i * 4) > threshold) << i;
    }
    mask[box_index * gridDim.x + col_start] = bits;
  }
}

at::Tensor suppression_mask(const at::Tensor &boxes, double threshold) {
  TORCH_CHECK(boxes.is_cuda() && boxes.is_contiguous());
  TORCH_CHECK(boxes.dim() == 2 && boxes.size(1) == 4 && boxes.scalar_type() == at::kFloat);
  TORCH_CHECK(boxes.size(0) > 0 && boxes.size(0) <= 100000);
  const int n_boxes = boxes.size(0);
  const int col_blocks = (n_boxes + kPerBlock - 1) / kPerBlock;
  at::Tensor mask = at::empty({n_boxes, col_blocks}, boxes.options().dtype(at::kLong));
  dim3 blocks(col_blocks, col_blocks);
  dim3 threads(kPerBlock);
  nms_mask<<<blocks, threads, 0, c10::cuda::getCurrentCUDAStream()>>>(
      n_boxes, static_cast<float>(threshold), boxes.data_ptr<float>(),
      reinterpret_cast<unsigned long long *>(mask.data_ptr<int64_t>()));
  return mask;
}
