// Half precision; see the prelude.
#pragma once

#include "../prelude.hpp"
