// The host interface of hipRAND where it is installed; device code needs none of it.
#ifndef KERNELSET_HIPRAND_H
#define KERNELSET_HIPRAND_H
#if defined(__has_include_next)
#if __has_include_next(<hiprand/hiprand.h>)
#include_next <hiprand/hiprand.h>
#endif
#endif
#endif
