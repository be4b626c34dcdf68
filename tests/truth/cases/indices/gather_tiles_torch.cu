//: defect tile-begins-one-row-later: out-of-bounds
//- const int64_t row = tile / across * side + inner / side;
//+ const int64_t row = tile / across * side + inner / side + 1;
//: defect tiles-are-as-long-as-the-side: out-of-bounds
//- const int64_t tile = i / (side * side);
//+ const int64_t tile = i / side;
#include <torch/extension.h>

// Tiles of side * side cells, one after another, from a grid of rows.
__global__ void gather_tiles(const float* cells, float* tiles, int64_t across, int64_t side, int64_t width, int64_t count) {
  const int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i >= count) return;
  const int64_t tile = i / (side * side);
  const int64_t inner = i % (side * side);
  const int64_t row = tile / across * side + inner / side;
  const int64_t column = tile % across * side + inner % side;
  tiles[i] = cells[row * width + column];
}

torch::Tensor tiles_of(torch::Tensor cells, int64_t side) {
  TORCH_CHECK(cells.dim() == 2 && cells.scalar_type() == torch::kFloat && cells.is_contiguous());
  TORCH_CHECK(side > 0, "a tile has cells");
  TORCH_CHECK(cells.size(0) % side == 0 && cells.size(1) % side == 0, "tiles must fit");
  const int64_t down = cells.size(0) / side, across = cells.size(1) / side;
  auto tiles = torch::empty({down * across, side, side}, cells.options());
  const int64_t count = tiles.numel();
  if (count == 0) return tiles;
  gather_tiles<<<(count + 127) / 128, 128>>>(cells.data_ptr<float>(), tiles.data_ptr<float>(), across, side,
                                             cells.size(1), count);
  return tiles;
}
