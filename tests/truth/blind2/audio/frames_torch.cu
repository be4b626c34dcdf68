//: defect last-frames-reach-past-the-signal: out-of-bounds
//- const int64_t frames = (length - width) / hop + 1;
//+ const int64_t frames = (length + hop - 1) / hop;
//: defect window-is-indexed-by-the-sample: out-of-bounds
//- out[frame * width + k] = signal[frame * hop + k] * window[k];
//+ out[frame * width + k] = signal[frame * hop + k] * window[frame * hop + k];
//: defect tail-of-the-grid-is-not-cut: out-of-bounds
//- if (i >= frames * width) return;
//+
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>

__global__ void frame_signal_kernel(const float* __restrict__ signal, const float* __restrict__ window,
                                    float* __restrict__ out, int64_t frames, int64_t width, int64_t hop) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= frames * width) return;
  const int64_t frame = i / width;
  const int64_t k = i % width;
  out[frame * width + k] = signal[frame * hop + k] * window[k];
}

torch::Tensor frame_signal(const torch::Tensor& signal, const torch::Tensor& window, int64_t hop) {
  TORCH_CHECK(signal.is_cuda(), "signal must be a CUDA tensor");
  TORCH_CHECK(signal.dim() == 1 && window.dim() == 1, "signal and window must be vectors");
  TORCH_CHECK(signal.scalar_type() == torch::kFloat && window.scalar_type() == torch::kFloat);
  TORCH_CHECK(signal.is_contiguous() && window.is_contiguous());
  TORCH_CHECK(hop > 0, "hop must be positive");
  const int64_t length = signal.size(0);
  const int64_t width = window.size(0);
  TORCH_CHECK(width > 0 && length >= width, "the signal is shorter than the window");
  const int64_t frames = (length - width) / hop + 1;
  auto out = torch::empty({frames, width}, signal.options());
  const int threads = 256;
  const int64_t blocks = (frames * width + threads - 1) / threads;
  frame_signal_kernel<<<blocks, threads, 0, c10::cuda::getCurrentCUDAStream()>>>(
      signal.data_ptr<float>(), window.data_ptr<float>(), out.data_ptr<float>(), frames, width, hop);
  return out;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("frame_signal", &frame_signal); }
