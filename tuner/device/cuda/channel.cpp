#include "tuner/device/cuda/channel.hpp"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdint>

namespace rooftune::cuda {
namespace {

using Clock = std::chrono::steady_clock;

/// No message is longer: results hold some hundred figures and a log.
constexpr std::uint32_t longest = 64U << 20;

/// A pipe without a reader raises SIGPIPE; here it is an error like others, and nobody's handlers
/// are touched.
class NoBrokenPipes {
 public:
  NoBrokenPipes() {
    sigemptyset(&set_);
    sigaddset(&set_, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &set_, &before_);
  }
  ~NoBrokenPipes() {
    const timespec none{0, 0};
    while (!was_pending_ && sigtimedwait(&set_, nullptr, &none) == SIGPIPE) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoBrokenPipes(const NoBrokenPipes&) = delete;
  NoBrokenPipes& operator=(const NoBrokenPipes&) = delete;

 private:
  sigset_t set_{};
  sigset_t before_{};
  bool was_pending_ = false;
};

}  // namespace

bool Channel::write(const std::string& text) {
  const NoBrokenPipes guard;
  const auto length = static_cast<std::uint32_t>(text.size());
  std::string bytes;
  for (unsigned shift = 0; shift < 32; shift += 8) {
    bytes += static_cast<char>((length >> shift) & 0xffU);
  }
  bytes += text;
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t count = ::write(write_, bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno != EINTR) {
      return false;
    }
    done += count > 0 ? static_cast<std::size_t>(count) : 0;
  }
  return true;
}

std::optional<ReadEnd> Channel::read_bytes(char* into, std::size_t count,
                                           std::optional<double> seconds) {
  const auto start = Clock::now();
  while (count > 0) {
    int wait = -1;
    if (seconds) {
      const double left = *seconds - std::chrono::duration<double>(Clock::now() - start).count();
      wait = left > 0 ? static_cast<int>(std::ceil(left * 1e3)) : 0;
    }
    pollfd descriptor{read_, POLLIN, 0};
    const int ready = poll(&descriptor, 1, wait);
    if (ready == 0) {
      return ReadEnd::timed_out;
    }
    if (ready < 0) {
      continue;  // a signal
    }
    const ssize_t got = ::read(read_, into, count);
    if (got == 0 || (got < 0 && errno != EINTR)) {
      return ReadEnd::closed;
    }
    into += got > 0 ? got : 0;
    count -= got > 0 ? static_cast<std::size_t>(got) : 0;
  }
  return std::nullopt;
}

std::variant<std::string, ReadEnd> Channel::read(std::optional<double> seconds) {
  std::array<char, 4> head{};
  if (const auto end = read_bytes(head.data(), head.size(), seconds)) {
    return *end;
  }
  std::uint32_t length = 0;
  for (unsigned i = 0; i < 4; ++i) {
    length |= std::uint32_t{static_cast<unsigned char>(head[i])} << (8 * i);
  }
  if (length > longest) {
    return ReadEnd::garbled;
  }
  std::string text(length, '\0');
  if (const auto end = read_bytes(text.data(), text.size(), seconds)) {
    return *end;
  }
  return text;
}

}  // namespace rooftune::cuda
