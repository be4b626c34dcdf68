//: defect diagonals-are-not-waited-for: race
//- previous[i] = current[i];
//-       current[i] = next;
//-     }
//-     __syncthreads();
//+ previous[i] = current[i];
//+       current[i] = next;
//+     }
#pragma once

// How many letters have to change to make one of two words the other; a block a pair, a thread a letter of the first, which
// has at most as many as the block has threads. Diagonals are filled one after another.
template <int Most>
__global__ void edit_distances(const char* first, const char* second, int first_length, int second_length, int* distances) {
  __shared__ int previous[Most + 1], current[Most + 1];
  first += blockIdx.x * first_length;
  second += blockIdx.x * second_length;
  for (int i = threadIdx.x; i <= first_length; i += blockDim.x) {
    previous[i] = 0;
    current[i] = i;
  }
  __syncthreads();
  for (int diagonal = 1; diagonal <= first_length + second_length - 1; ++diagonal) {
    const int i = threadIdx.x + 1, j = diagonal - threadIdx.x;
    const bool is_inside = i <= first_length && j >= 1 && j <= second_length;
    int next = 0;
    if (is_inside) {
      const int above = i == 1 ? j : current[i - 1], corner = i == 1 ? j - 1 : previous[i - 1];
      const int differs = first[i - 1] != second[j - 1];
      next = min(min(above, current[i]) + 1, corner + differs);
    }
    __syncthreads();
    if (is_inside) {
      previous[i] = current[i];
      current[i] = next;
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) distances[blockIdx.x] = current[first_length];
}

inline void launch_edit_distances(const char* first, const char* second, int pairs, int first_length, int second_length,
                                  int* distances, cudaStream_t stream) {
  if (pairs <= 0 || first_length < 1 || first_length > 64 || second_length < 1) return;
  edit_distances<64><<<pairs, 64, 0, stream>>>(first, second, first_length, second_length, distances);
}
