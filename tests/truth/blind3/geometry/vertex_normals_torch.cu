//: defect corners-add-without-atomics: race
//- atomicAdd(normals + corner * 3 + d, normal[d]);
//+ normals[corner * 3 + d] += normal[d];
//: defect faces-may-name-any-vertex: out-of-bounds
//- if (a < 0 || b < 0 || c < 0 || a >= vertices || b >= vertices || c >= vertices) return;
//+ if (a < 0 || b < 0 || c < 0) return;
#include <torch/extension.h>

__global__ void vertex_normals_kernel(const float* __restrict__ points, const int* __restrict__ faces,
                                      float* __restrict__ normals, int64_t vertices, int64_t face_count) {
  const int64_t f = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (f >= face_count) return;
  const int64_t a = faces[f * 3], b = faces[f * 3 + 1], c = faces[f * 3 + 2];
  if (a < 0 || b < 0 || c < 0 || a >= vertices || b >= vertices || c >= vertices) return;
  float u[3], v[3];
  for (int d = 0; d < 3; ++d) {
    u[d] = points[b * 3 + d] - points[a * 3 + d];
    v[d] = points[c * 3 + d] - points[a * 3 + d];
  }
  const float normal[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
  const int64_t corners[3] = {a, b, c};
  for (int k = 0; k < 3; ++k) {
    const int64_t corner = corners[k];
    for (int d = 0; d < 3; ++d) atomicAdd(normals + corner * 3 + d, normal[d]);
  }
}

at::Tensor vertex_normals(at::Tensor points, at::Tensor faces) {
  TORCH_CHECK(points.dim() == 2 && points.size(1) == 3, "points must be [vertices, 3]");
  TORCH_CHECK(faces.dim() == 2 && faces.size(1) == 3, "faces must be [faces, 3]");
  TORCH_CHECK(points.scalar_type() == at::kFloat && faces.scalar_type() == at::kInt);
  points = points.contiguous();
  faces = faces.contiguous();
  at::Tensor normals = at::zeros_like(points);
  const int64_t count = faces.size(0);
  if (count > 0) {
    vertex_normals_kernel<<<(count + 127) / 128, 128>>>(points.data_ptr<float>(), faces.data_ptr<int>(),
                                                        normals.data_ptr<float>(), points.size(0), count);
  }
  return normals;
}
