// As `THC/THC.h`.
#pragma once
#include <THC/THC.h>
