#pragma once
#include <kernelset/torch_prelude.h>
