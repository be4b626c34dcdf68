//: defect entries-of-a-column-take-the-same-place: race|order-dependent|own-check|overwrite
//- const int to = atomicAdd(&cursors[column], 1);
//+ const int to = cursors[column]++;
#include <hip/hip_runtime.h>

#include <cstdio>
#include <numeric>
#include <vector>

// Scatters the entries of a matrix by rows into one by columns. `cursors` begin at each column's first place.
__global__ void scatter_entries(const int* row_begins, const int* columns, const double* values, int rows,
                                int* cursors, int* out_rows, double* out_values) {
  const int row = hipBlockIdx_x * hipBlockDim_x + hipThreadIdx_x;
  if (row >= rows) return;
  for (int i = row_begins[row]; i < row_begins[row + 1]; ++i) {
    const int column = columns[i];
    const int to = atomicAdd(&cursors[column], 1);
    out_rows[to] = row;
    out_values[to] = values[i];
  }
}

template <typename T>
T* upload(const std::vector<T>& host) {
  T* device = nullptr;
  if (hipMalloc(reinterpret_cast<void**>(&device), host.size() * sizeof(T)) != hipSuccess) return nullptr;
  (void)hipMemcpy(device, host.data(), host.size() * sizeof(T), hipMemcpyHostToDevice);
  return device;
}

int main() {
  const int rows = 90, columns = 11;
  std::vector<int> begins{0}, entries;
  std::vector<double> values;
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < columns; ++c) {
      if ((r * 5 + c * 3) % 4 != 0 || r % 10 == 4) continue;
      entries.push_back(c);
      values.push_back(r + c / 100.0);
    }
    begins.push_back(entries.size());
  }
  std::vector<int> cursors(columns + 1, 0);
  for (int c : entries) ++cursors[c + 1];
  std::partial_sum(cursors.begin(), cursors.end(), cursors.begin());
  const std::vector<int> column_begins(cursors);

  int* d_begins = upload(begins);
  int* d_columns = upload(entries);
  double* d_values = upload(values);
  int* d_cursors = upload(cursors);
  int* d_rows = upload(entries);
  double* d_out = upload(values);
  hipLaunchKernelGGL(scatter_entries, dim3((rows + 63) / 64), dim3(64), 0, 0, d_begins, d_columns, d_values, rows,
                     d_cursors, d_rows, d_out);
  std::vector<double> out(values.size());
  (void)hipMemcpy(out.data(), d_out, out.size() * sizeof(double), hipMemcpyDeviceToHost);

  int errors = 0;
  for (int c = 0; c < columns; ++c) {
    double sum = 0, expected = 0;
    for (int i = column_begins[c]; i < column_begins[c + 1]; ++i) sum += out[i];
    for (size_t i = 0; i < entries.size(); ++i)
      if (entries[i] == c) expected += values[i];
    if (sum < expected - 1e-9 || sum > expected + 1e-9) ++errors;
  }
  std::printf("%d columns differ\n", errors);
  return errors == 0 ? 0 : 1;
}
