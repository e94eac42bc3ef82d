// bfloat16; see the prelude.
#pragma once

#include "../prelude.hpp"
