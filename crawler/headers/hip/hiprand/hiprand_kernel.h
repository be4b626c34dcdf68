// hipRAND's device functions: the installed hipRAND where there is one, else our own.
#ifndef KERNELSET_HIPRAND_KERNEL_H
#define KERNELSET_HIPRAND_KERNEL_H

#if defined(__has_include_next)
#if __has_include_next(<hiprand/hiprand_kernel.h>)
#define KERNELSET_HAS_HIPRAND 1
#endif
#endif

#ifdef KERNELSET_HAS_HIPRAND
#include_next <hiprand/hiprand_kernel.h>
#else
#include <hip/hip_runtime.h>

#define KERNELSET_RAND(name) hiprand##name
#include <kernelset/random.h>
#endif
#undef KERNELSET_HAS_HIPRAND
#endif
