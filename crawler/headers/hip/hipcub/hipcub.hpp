// hipCUB's device-side primitives: the installed hipCUB where there is one, else these.
// Ours are plain and right rather than fast, and need neither rocPRIM nor a particular warp width.
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

#include <hipcub/kernelset_thread.hpp>

#include <hipcub/kernelset_data.hpp>
#include <hipcub/kernelset_reduce.hpp>
#include <hipcub/kernelset_scan.hpp>
#include <hipcub/kernelset_sort.hpp>
#include <hipcub/kernelset_warp.hpp>
#endif
#undef KERNELSET_HAS_HIPCUB
#endif
