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
