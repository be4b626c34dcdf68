//: defect every-neighbour-is-written: out-of-bounds|race
//- for (int k = 0; k < n && count < nsample; ++k) {
//+ for (int k = 0; k < n; ++k) {
//: defect centres-have-no-guard: out-of-bounds
//- if (point >= m) return;
//+
//: defect free-places-are-not-filled: uninitialised-read|out-of-bounds
//- for (int l = 0; l < nsample; ++l) out[l] = k;
//+ out[0] = k;
#include <torch/extension.h>

#define THREADS_PER_BLOCK 256
#define DIVUP(m, n) ((m) / (n) + ((m) % (n) > 0))

__global__ void ball_query_kernel(int b, int n, int m, float radius, int nsample, const float *__restrict__ new_xyz,
                                  const float *__restrict__ xyz, int *__restrict__ idx) {
  int batch = blockIdx.y;
  int point = blockIdx.x * blockDim.x + threadIdx.x;
  if (point >= m) return;

  new_xyz += (size_t)batch * m * 3 + point * 3;
  xyz += (size_t)batch * n * 3;
  int *out = idx + ((size_t)batch * m + point) * nsample;

  float radius2 = radius * radius;
  float new_x = new_xyz[0], new_y = new_xyz[1], new_z = new_xyz[2];
  int count = 0;
  for (int k = 0; k < n && count < nsample; ++k) {
    float dx = new_x - xyz[k * 3 + 0];
    float dy = new_y - xyz[k * 3 + 1];
    float dz = new_z - xyz[k * 3 + 2];
    if (k == 0) {
      for (int l = 0; l < nsample; ++l) out[l] = k;
    }
    if (dx * dx + dy * dy + dz * dz < radius2) {
      out[count] = k;
      ++count;
    }
  }
}

__global__ void group_kernel(int n, int m, int nsample, const float *__restrict__ xyz, const int *__restrict__ idx,
                             float *__restrict__ grouped) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m * nsample) return;
  int batch = blockIdx.y;
  size_t to = (size_t)batch * m * nsample + i;
  const float *from = xyz + ((size_t)batch * n + idx[to]) * 3;
  grouped[to * 3 + 0] = from[0];
  grouped[to * 3 + 1] = from[1];
  grouped[to * 3 + 2] = from[2];
}

at::Tensor query_and_group(at::Tensor new_xyz, at::Tensor xyz, double radius) {
  TORCH_CHECK(new_xyz.is_cuda() && new_xyz.is_contiguous() && new_xyz.scalar_type() == at::kFloat);
  TORCH_CHECK(xyz.is_cuda() && xyz.is_contiguous() && xyz.scalar_type() == at::kFloat);
  TORCH_CHECK(new_xyz.dim() == 3 && xyz.dim() == 3 && new_xyz.size(2) == 3 && xyz.size(2) == 3);
  TORCH_CHECK(new_xyz.size(0) == xyz.size(0) && xyz.numel() > 0 && new_xyz.numel() > 0);
  int b = xyz.size(0), n = xyz.size(1), m = new_xyz.size(1);
  TORCH_CHECK(b <= 65535 && n <= (1 << 24) && m <= (1 << 24));
  const int nsample = 4;
  at::Tensor idx = at::empty({b, m, nsample}, xyz.options().dtype(at::kInt));
  at::Tensor grouped = at::empty({b, m, nsample, 3}, xyz.options());
  dim3 blocks(DIVUP(m, THREADS_PER_BLOCK), b);
  ball_query_kernel<<<blocks, THREADS_PER_BLOCK>>>(b, n, m, radius, nsample, new_xyz.data_ptr<float>(),
                                                   xyz.data_ptr<float>(), idx.data_ptr<int>());
  dim3 group_blocks(DIVUP(m * nsample, THREADS_PER_BLOCK), b);
  group_kernel<<<group_blocks, THREADS_PER_BLOCK>>>(n, m, nsample, xyz.data_ptr<float>(), idx.data_ptr<int>(),
                                                    grouped.data_ptr<float>());
  return grouped;
}
