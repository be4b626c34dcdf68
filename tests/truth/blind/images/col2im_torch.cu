//: defect image-begins-with-rubbish: uninitialised-read
//- torch::Tensor image = torch::zeros({channels, height, width}, columns.options());
//+ torch::Tensor image = torch::empty({channels, height, width}, columns.options());
//: defect windows-add-without-atomics: race|order-dependent
//- atomicAdd(image + (c * height + y) * width + x, columns[i]);
//+ image[(c * height + y) * width + x] += columns[i];
//: defect padding-is-added-too: out-of-bounds
//- if (y < 0 || x < 0 || y >= height || x >= width) return;
//+ if (y >= height || x >= width) return;
#include <torch/extension.h>

__global__ void fold_windows(const float *columns, float *image, int total, int height, int width, int window,
                             int pad)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= total) return;
    const int positions = height * width;
    const int position = i % positions;
    const int row = i / positions;
    const int dx = row % window;
    const int dy = row / window % window;
    const int c = row / (window * window);
    const int y = position / width + dy - pad;
    const int x = position % width + dx - pad;
    if (y < 0 || x < 0 || y >= height || x >= width) return;
    atomicAdd(image + (c * height + y) * width + x, columns[i]);
}

torch::Tensor fold(torch::Tensor columns, int64_t height, int64_t width, int64_t window)
{
    TORCH_CHECK(columns.is_cuda() && columns.is_contiguous() && columns.dim() == 2);
    TORCH_CHECK(columns.scalar_type() == torch::kFloat32);
    TORCH_CHECK(window >= 3 && window <= 15 && window % 2 == 1, "window must be odd");
    TORCH_CHECK(height > 0 && width > 0 && columns.size(1) == height * width);
    TORCH_CHECK(columns.size(0) % (window * window) == 0 && columns.size(0) > 0);
    TORCH_CHECK(columns.numel() < (1 << 30), "too many columns");
    const int64_t channels = columns.size(0) / (window * window);
    torch::Tensor image = torch::zeros({channels, height, width}, columns.options());
    const int total = columns.numel();
    const int threads = 256;
    fold_windows<<<(total + threads - 1) / threads, threads>>>(columns.data_ptr<float>(), image.data_ptr<float>(),
                                                               total, height, width, window, window / 2);
    return image;
}
