#include <sys/mman.h>
#include <unistd.h>

#include <new>

#include "fiber.hpp"

namespace rooftune_host {

namespace {

std::size_t round_up(std::size_t bytes, std::size_t granule) {
  return (bytes + granule - 1) / granule * granule;
}

}  // namespace

Stack::Stack(std::size_t bytes, std::size_t color) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  mapped_bytes_ = round_up(bytes + color, page) + page;
  void* memory = mmap(nullptr, mapped_bytes_, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) {
    throw std::bad_alloc();
  }
  mapping_ = static_cast<char*>(memory);
  // May fail where the process has too many mappings: then that stack is unguarded, and still
  // works.
  static_cast<void>(mprotect(mapping_, page, PROT_NONE));
  bottom_ = mapping_ + page;
  top_ = mapping_ + mapped_bytes_ - color;
}

Stack::~Stack() {
  munmap(mapping_, mapped_bytes_);
}

}  // namespace rooftune_host

#ifndef ROOFTUNE_HOST_BOOST_SWITCH
// The registers that a callee must keep, and the stack. It ends with a jump instead of a return:
// the processor predicts returns from the calls before, which were another stack's.
asm(R"(
  .text
  .p2align 4
  .globl rooftune_host_switch_stack
  .hidden rooftune_host_switch_stack
  .type rooftune_host_switch_stack, @function
rooftune_host_switch_stack:
  .cfi_startproc
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
  .cfi_endproc
  .size rooftune_host_switch_stack, . - rooftune_host_switch_stack
)");
#endif
