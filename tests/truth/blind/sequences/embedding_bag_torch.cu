//: defect last-bag-has-no-end: out-of-bounds
//- const int64_t end = bag + 1 < bags ? offsets[bag + 1] : count;
//+ const int64_t end = offsets[bag + 1];
//: defect indices-may-be-negative: out-of-bounds
//- if (word < 0 || word >= words) continue;
//+ if (word >= words) continue;
//: defect empty-bag-divides-by-zero: divide-by-zero
//- const long size = kept > 0 ? kept : 1;
//+ const long size = kept;
#include <torch/extension.h>

__global__ void embedding_bag_mean(const int *__restrict__ table, const int64_t *__restrict__ indices,
                                   const int64_t *__restrict__ offsets, int *__restrict__ output, int64_t words,
                                   int64_t width, int64_t count, int64_t bags)
{
    const int64_t bag = blockIdx.x;
    const int64_t begin = offsets[bag] > 0 ? offsets[bag] : 0;
    const int64_t end = bag + 1 < bags ? offsets[bag + 1] : count;
    for (int64_t column = threadIdx.x; column < width; column += blockDim.x) {
        long sum = 0, kept = 0;
        for (int64_t i = begin; i < end && i < count; ++i) {
            const int64_t word = indices[i];
            if (word < 0 || word >= words) continue;
            sum += table[word * width + column];
            ++kept;
        }
        const long size = kept > 0 ? kept : 1;
        output[bag * width + column] = static_cast<int>(sum / size);
    }
}

at::Tensor embedding_bag(at::Tensor table, at::Tensor indices, at::Tensor offsets)
{
    TORCH_CHECK(table.dim() == 2 && table.scalar_type() == at::kInt, "expected a quantised table");
    TORCH_CHECK(indices.dim() == 1 && offsets.dim() == 1);
    TORCH_CHECK(indices.scalar_type() == at::kLong && offsets.scalar_type() == at::kLong);
    table = table.contiguous();
    indices = indices.contiguous();
    offsets = offsets.contiguous();
    const int64_t bags = offsets.size(0);
    at::Tensor output = table.new_empty({bags, table.size(1)});
    if (bags == 0) return output;
    embedding_bag_mean<<<bags, 64>>>(table.data_ptr<int>(), indices.data_ptr<int64_t>(), offsets.data_ptr<int64_t>(),
                                     output.data_ptr<int>(), table.size(0), table.size(1), indices.numel(), bags);
    return output;
}
