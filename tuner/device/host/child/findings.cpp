#include "tuner/device/host/child/findings.hpp"

#include <fcntl.h>
#include <signal.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

// Present in the check and race builds alone.
extern "C" void __asan_init() __attribute__((weak));
extern "C" void __tsan_init() __attribute__((weak));
extern "C" void* __asan_get_report_address() __attribute__((weak));

namespace rooftune::host_child {
namespace {

constexpr int heartbeat_descriptor = 3;
bool has_listener = false;
int result_descriptor = -1;
const std::vector<Buffer>* known_buffers = nullptr;

void append(const char* text, std::size_t length) {
  while (length > 0) {
    const ssize_t count = write(result_descriptor, text, length);
    if (count <= 0) {
      return;
    }
    text += count;
    length -= static_cast<std::size_t>(count);
  }
}

/// Describes an address by the buffer it is near. Only calls what a signal handler may.
int describe_address(char* out, std::size_t size, const void* address) {
  const auto* at = static_cast<const unsigned char*>(address);
  for (const Buffer& buffer : *known_buffers) {
    if (!buffer.is_near(address)) {
      continue;
    }
    const char* name = buffer.argument().name.c_str();
    if (at < buffer.data()) {
      return std::snprintf(out, size, "%td bytes before the start of %s", buffer.data() - at, name);
    }
    if (at >= buffer.end()) {
      return std::snprintf(out, size, "%td bytes past the end of %s", at - buffer.end(), name);
    }
    return std::snprintf(out, size, "in %s", name);
  }
  return std::snprintf(out, size, "outside of every buffer");
}

std::atomic_flag crashed = ATOMIC_FLAG_INIT;
static_assert(ATOMIC_BOOL_LOCK_FREE == 2, "a signal handler may touch lock-free atomics alone");

void on_crash(int signal, siginfo_t* info, void* context) {
  if (crashed.test_and_set()) {
    // Several blocks often fail alike at once. The process must not end by the second thread's
    // fault before the first one's is written.
    while (true) {
      pause();
    }
  }
  const auto* machine = static_cast<const ucontext_t*>(context);
#if defined(__x86_64__)
  const auto pc = static_cast<std::uintptr_t>(machine->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  const auto pc = static_cast<std::uintptr_t>(machine->uc_mcontext.pc);
#endif
  char place[256];
  describe_address(place, sizeof place, info->si_addr);
  char line[400];
  const int length = std::snprintf(line, sizeof line, "crash %d %#" PRIxPTR " %p %s\n", signal, pc,
                                   info->si_addr, place);
  append(line, static_cast<std::size_t>(std::clamp<int>(length, 0, sizeof line - 1)));
  // The fault happens again, and ends the process as it should.
  ::signal(signal, SIG_DFL);
}

}  // namespace

void open_findings(const std::string& file) {
  has_listener = fcntl(heartbeat_descriptor, F_GETFD) != -1;
  result_descriptor = open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (result_descriptor < 0) {
    throw std::runtime_error("cannot open " + file);
  }
}

void report(std::string line) {
  std::replace(line.begin(), line.end(), '\n', ' ');
  line += '\n';
  append(line.data(), line.size());
}

void beat() {
  if (has_listener && write(heartbeat_descriptor, "", 1) < 0) {
    has_listener = false;
  }
}

void report_crashes(const std::vector<Buffer>& buffers) {
  known_buffers = &buffers;
  if (__asan_init != nullptr || __tsan_init != nullptr) {
    return;
  }
  struct sigaction action{};
  action.sa_sigaction = on_crash;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) {
    sigaction(signal, &action, nullptr);
  }
}

void prepare_thread_for_crashes() {
  thread_local bool prepared = false;
  if (prepared || __asan_init != nullptr || __tsan_init != nullptr) {
    return;
  }
  prepared = true;
  stack_t stack{};
  stack.ss_size = 65536;
  stack.ss_sp = std::malloc(stack.ss_size);
  sigaltstack(&stack, nullptr);
}

}  // namespace rooftune::host_child

/// AddressSanitizer calls this before its report: adds which buffer is meant.
extern "C" void __asan_on_error() {
  using namespace rooftune::host_child;
  if (known_buffers == nullptr || __asan_get_report_address == nullptr) {
    return;
  }
  char place[256];
  describe_address(place, sizeof place, __asan_get_report_address());
  std::fprintf(stderr, "rooftune: the address is %s\n", place);
}
