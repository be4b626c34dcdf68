// hipCUB's device-side primitives: the installed hipCUB where there is one, else our own, which need neither
// rocPRIM nor a particular warp width.
#ifndef KERNELSET_HIPCUB_HPP
#define KERNELSET_HIPCUB_HPP

#if defined(__has_include_next)
#if __has_include_next(<hipcub/hipcub.hpp>)
#define KERNELSET_HAS_HIPCUB 1
#endif
#endif

#ifdef KERNELSET_HAS_HIPCUB
#include_next <hipcub/hipcub.hpp>
#else
#include <kernelset/hip.h>

#define HIPCUB_ARCH 1
#define HIPCUB_MAX(a, b) (((a) > (b)) ? (a) : (b))
#define HIPCUB_MIN(a, b) (((a) < (b)) ? (a) : (b))
#define KERNELSET_CUB hipcub
#define KERNELSET_STATUS hipError_t
#include <kernelset/cub.h>
#endif
#include <kernelset/cub_words.h>
#undef KERNELSET_HAS_HIPCUB
#endif
