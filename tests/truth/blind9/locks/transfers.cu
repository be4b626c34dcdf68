//: defect only-one-of-two-accounts-is-locked: race|order-dependent|own-check
//- while (atomicCAS(&locks[high], 0, 1) != 0) {
//-   }
//+ // the lower one is held
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

struct Transfer {
  int from, to, amount;
};

// A block a transfer; both accounts are locked, the lower one first.
__global__ void apply_transfers(const Transfer* transfers, volatile int* balances, int* locks) {
  if (threadIdx.x != 0) return;
  const Transfer t = transfers[blockIdx.x];
  if (t.from == t.to) return;
  const int low = t.from < t.to ? t.from : t.to, high = t.from < t.to ? t.to : t.from;
  while (atomicCAS(&locks[low], 0, 1) != 0) {
  }
  while (atomicCAS(&locks[high], 0, 1) != 0) {
  }
  __threadfence();
  balances[t.from] -= t.amount;
  balances[t.to] += t.amount;
  __threadfence();
  atomicExch(&locks[high], 0);
  atomicExch(&locks[low], 0);
}

int main() {
  const int accounts = 6, count = 64;
  std::vector<Transfer> transfers(count);
  std::vector<int> balances(accounts, 1000);
  for (int i = 0; i < count; ++i) transfers[i] = {i * 5 % accounts, (i * 3 + 1) % accounts, i % 9};
  Transfer* d_transfers;
  int *d_balances, *d_locks;
  cudaMalloc(&d_transfers, count * sizeof(Transfer));
  cudaMalloc(&d_balances, accounts * sizeof(int));
  cudaMalloc(&d_locks, accounts * sizeof(int));
  cudaMemcpy(d_transfers, transfers.data(), count * sizeof(Transfer), cudaMemcpyHostToDevice);
  cudaMemcpy(d_balances, balances.data(), accounts * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemset(d_locks, 0, accounts * sizeof(int));
  apply_transfers<<<count, 32>>>(d_transfers, d_balances, d_locks);
  if (cudaDeviceSynchronize() != cudaSuccess) return EXIT_FAILURE;
  cudaMemcpy(balances.data(), d_balances, accounts * sizeof(int), cudaMemcpyDeviceToHost);
  int total = 0;
  for (int balance : balances) total += balance;
  std::printf("total %d, expected %d\n", total, accounts * 1000);
  cudaFree(d_transfers);
  cudaFree(d_balances);
  cudaFree(d_locks);
  return total == accounts * 1000 ? EXIT_SUCCESS : EXIT_FAILURE;
}
