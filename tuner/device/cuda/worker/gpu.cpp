#include "tuner/device/cuda/worker/gpu.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <iterator>
#include <utility>

namespace rooftune::cuda {

void check(CUresult result, const char* during) {
  if (result != CUDA_SUCCESS) {
    throw DriverError(result, during);
  }
}

Gpu::Gpu(std::shared_ptr<const DriverApi> driver, int index) : driver_(std::move(driver)) {
  check(api().init(0), "starting the driver");
  check(api().device(&device_, index), "opening the GPU");
  CUcontext context = nullptr;
  check(api().context_retain(&context, device_), "making a context");
  check(api().context_set(context), "making a context");
  // One that waits for the default stream: a copy from the host, which goes there, may return
  // before all of it has arrived.
  check(api().create_stream(&stream_, CU_STREAM_DEFAULT), "making a stream");
}

Gpu::~Gpu() {
  api().destroy_stream(stream_);
  api().context_release(device_);
}

int Gpu::attribute(CUdevice_attribute which) const {
  int value = 0;
  return api().device_attribute(&value, which, device_) == CUDA_SUCCESS ? value : 0;
}

std::size_t Gpu::free_memory() const {
  std::size_t free = 0;
  std::size_t total = 0;
  check(api().memory_info(&free, &total), "asking for free memory");
  return free;
}

void Gpu::wait(const char* during) const {
  check(api().wait_for_stream(stream_), during);
}

Memory::Memory(const Gpu& gpu, std::size_t bytes) : gpu_(&gpu), bytes_(bytes) {
  check(gpu.api().allocate(&address_, bytes), "allocating a buffer");
}

Memory::~Memory() {
  if (address_ != 0) {
    gpu_->api().free(address_);
  }
}

Memory::Memory(Memory&& other) noexcept
    : gpu_(other.gpu_), address_(std::exchange(other.address_, 0)), bytes_(other.bytes_) {}

Module::Module(const Gpu& gpu, const std::string& file, const std::string& entry) : gpu_(gpu) {
  std::ifstream in(file, std::ios::binary);
  std::string image{std::istreambuf_iterator<char>(in), {}};
  if (!in || image.empty()) {
    throw std::runtime_error("cannot read the binary " + file);
  }
  image += '\0';  // PTX is a text
  std::array<char, 4096> log{};
  std::array<CUjit_option, 2> options = {CU_JIT_ERROR_LOG_BUFFER,
                                         CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  std::array<void*, 2> values = {log.data(), reinterpret_cast<void*>(log.size())};
  const CUresult result =
      gpu.api().load_module(&module_, image.data(), options.size(), options.data(), values.data());
  if (result != CUDA_SUCCESS) {
    const std::string said(log.data());
    throw DriverError(result, "loading the binary" + (said.empty() ? said : ": " + said));
  }
  try {
    check(gpu.api().find_function(&function_, module_, entry.c_str()), "finding the kernel");
  } catch (...) {
    gpu.api().unload_module(module_);
    throw;
  }
}

Module::~Module() {
  gpu_.api().unload_module(module_);
}

int Module::attribute(CUfunction_attribute which) const {
  int value = 0;
  check(gpu_.api().function_attribute(&value, which, function_), "asking what the kernel takes");
  return value;
}

void Module::set(CUfunction_attribute which, int value) {
  check(gpu_.api().set_function_attribute(function_, which, value), "preparing the kernel");
}

Events::Events(const Gpu& gpu, int pairs) : gpu_(gpu) {
  for (int i = 0; i < 2 * pairs; ++i) {
    check(gpu_.api().create_event(&events_.emplace_back(), CU_EVENT_DEFAULT), "making an event");
  }
}

Events::~Events() {
  for (CUevent event : events_) {
    gpu_.api().destroy_event(event);
  }
}

void Events::record(int index) {
  check(gpu_.api().record_event(events_[static_cast<std::size_t>(index)], gpu_.stream()),
        "recording an event");
}

double Events::seconds(int pair) const {
  float milliseconds = 0;
  const auto first = static_cast<std::size_t>(2 * pair);
  check(gpu_.api().event_milliseconds(&milliseconds, events_[first], events_[first + 1]),
        "reading a time");
  return static_cast<double>(milliseconds) * 1e-3;
}

void StreamHold::hold() {
  if (timed_out_) {
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    held_ = true;
  }
  check(gpu_.api().call_host(gpu_.stream(), &StreamHold::wait_here, this), "holding the stream");
}

void StreamHold::release() {
  const std::lock_guard lock(mutex_);
  held_ = false;
  changed_.notify_all();
}

void StreamHold::wait_here(void* self) {
  auto& hold = *static_cast<StreamHold*>(self);
  constexpr auto deadlock_limit = std::chrono::milliseconds(500);
  std::unique_lock lock(hold.mutex_);
  if (!hold.changed_.wait_for(lock, deadlock_limit, [&] { return !hold.held_; })) {
    hold.timed_out_ = true;
  }
}

}  // namespace rooftune::cuda
