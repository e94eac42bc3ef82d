// If rooftune itself crashes while a configuration runs, its journal says which one it was.
#pragma once

#include <string>

namespace rooftune {

/// Makes fatal signals (SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT) of this process write the armed
/// note before they take their course. For programs: a library does not take signals by itself.
void install_crash_note();
/// What to write, and where, from now on; the descriptor stays the caller's.
void arm_crash_note(int descriptor, const std::string& line);
void disarm_crash_note();

}  // namespace rooftune
