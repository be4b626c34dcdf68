// RCCL: the installed one where there is one, else its names.
#pragma once
#if __has_include_next(<rccl/rccl.h>)
#include_next <rccl/rccl.h>
#else
#include <kernelset/hip.h>
#include <kernelset/collectives.h>
#endif
