#include "tuner/cli/interrupt.hpp"

#include <csignal>

namespace rooftune::cli {
namespace {

std::atomic<bool> interrupted = false;

void on_signal(int signal) {
  if (interrupted.exchange(true)) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
}

}  // namespace

InterruptGuard::InterruptGuard() {
  interrupted = false;
  earlier_interrupt_ = std::signal(SIGINT, on_signal);
  earlier_terminate_ = std::signal(SIGTERM, on_signal);
}

InterruptGuard::~InterruptGuard() {
  std::signal(SIGINT, earlier_interrupt_);
  std::signal(SIGTERM, earlier_terminate_);
}

const std::atomic<bool>& InterruptGuard::flag() const {
  return interrupted;
}

}  // namespace rooftune::cli
