// What a build that translates names makes of cub in sources that say HIP elsewhere: here hipcub is cub by another name.
#pragma once
#include <hipcub/hipcub.hpp>
