// Has a main of its own.
__global__ void sum_squares(const float *in, float *out, int n) {}
int main() { return 0; }
#define main other_main
