//: defect blocks-share-their-states: race|order-dependent
//- uint32_t state = states[walker];
//+ uint32_t state = states[threadIdx.x];
//- states[walker] = state;
//+ states[threadIdx.x] = state;
#include <torch/extension.h>

// One step of xorshift for each move; states go on from call to call.
__device__ __forceinline__ uint32_t next_bits(uint32_t& state) {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state;
}

__global__ void walk_kernel(int* positions, uint32_t* states, int walkers, int moves) {
  const int walker = blockIdx.x * blockDim.x + threadIdx.x;
  if (walker >= walkers) return;
  uint32_t state = states[walker];
  int at = positions[walker];
  for (int m = 0; m < moves; ++m) at += next_bits(state) & 1 ? 1 : -1;
  positions[walker] = at;
  states[walker] = state;
}

void walk(torch::Tensor positions, torch::Tensor states, int64_t moves) {
  TORCH_CHECK(positions.is_cuda() && states.is_cuda());
  TORCH_CHECK(positions.dim() == 1 && positions.scalar_type() == torch::kInt && positions.is_contiguous());
  TORCH_CHECK(states.sizes() == positions.sizes() && states.scalar_type() == torch::kInt && states.is_contiguous());
  TORCH_CHECK(moves >= 0 && moves < 100000);
  const int walkers = positions.numel();
  if (walkers == 0) return;
  walk_kernel<<<(walkers + 63) / 64, 64>>>(positions.data_ptr<int>(),
                                           reinterpret_cast<uint32_t*>(states.data_ptr<int>()), walkers, moves);
}
