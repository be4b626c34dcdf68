//: defect a-difference-too-many: out-of-bounds
//- if (i < n - 1) out[i] = in[i + 1] - in[i];
//+ if (i < n) out[i] = in[i + 1] - in[i];
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>

__global__ void differences(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n - 1) out[i] = in[i + 1] - in[i];
}

thrust::host_vector<float> difference(const thrust::host_vector<float> &values) {
  const int n = values.size();
  thrust::device_vector<float> in = values;
  thrust::device_vector<float> out(n - 1);
  differences<<<(n + 255) / 256, 256>>>(thrust::raw_pointer_cast(in.data()), thrust::raw_pointer_cast(out.data()), n);
  return out;
}
