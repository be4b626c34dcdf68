//: defect a-board-of-64-squares-is-shifted-in-an-int: shift|integer-overflow
//- reachable |= 1ull << (r * 8 + f);
//+ reachable |= 1 << (r * 8 + f);
#include <hip/hip_runtime.h>
#include <stdio.h>

// for each square the squares that a knight reaches from it
__global__ void knight_moves(unsigned long long* boards) {
  const int square = threadIdx.x;
  const int rank = square / 8, file = square % 8;
  unsigned long long reachable = 0;
  for (int dr = -2; dr <= 2; ++dr)
    for (int df = -2; df <= 2; ++df) {
      if (dr * dr + df * df != 5) continue;
      const int r = rank + dr, f = file + df;
      if (r < 0 || r > 7 || f < 0 || f > 7) continue;
      reachable |= 1ull << (r * 8 + f);
    }
  boards[square] = reachable;
}

int main() {
  unsigned long long boards[64], *d_boards;
  hipMalloc((void**)&d_boards, sizeof boards);
  knight_moves<<<1, 64>>>(d_boards);
  hipMemcpy(boards, d_boards, sizeof boards, hipMemcpyDeviceToHost);
  for (int square = 0; square < 64; ++square) printf("%016llx\n", boards[square]);
  hipFree(d_boards);
  return 0;
}
