#include "tuner/session/crash_note.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstring>

namespace rooftune {
namespace {

// What a signal handler may touch: memory that is there already, and lock-free atomics.
std::array<char, 16384> note;
std::atomic<std::size_t> note_size = 0;  // 0: disarmed
std::atomic<int> note_descriptor = -1;

void write_note(int signal) {
  const std::size_t size = note_size.exchange(0);
  if (size > 0) {
    [[maybe_unused]] const ssize_t written = ::write(note_descriptor, note.data(), size);
    ::fsync(note_descriptor);
  }
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

}  // namespace

void install_crash_note() {
  for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT}) {
    std::signal(signal, write_note);
  }
}

void arm_crash_note(int descriptor, const std::string& line) {
  note_size = 0;
  if (line.size() <= note.size()) {
    std::memcpy(note.data(), line.data(), line.size());
    note_descriptor = descriptor;
    note_size = line.size();
  }
}

void disarm_crash_note() {
  note_size = 0;
}

}  // namespace rooftune
