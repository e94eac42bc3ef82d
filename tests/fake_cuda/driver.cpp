// A double of the CUDA driver: the functions that rooftune uses, on host memory. A stream is a
// queue of what was asked for, worked off when someone waits for it; time is a figure that kernels
// move on. Nothing of it says anything about a GPU.
#include <cuda.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <vector>

#include "tests/fake_cuda/kernels.hpp"
#include "tests/fake_cuda/script.hpp"

// Some releases of cuda.h give new names to what drivers export under the old ones too.
#undef cuEventElapsedTime

using fake_cuda::Rule;
using fake_cuda::Script;

struct CUstream_st {
  std::vector<std::function<CUresult()>> queue;
};
struct CUevent_st {
  double seconds = 0;
};
struct CUmod_st {
  std::string image;
};
struct CUfunc_st {
  std::string name;
  fake_cuda::Kernel kernel = nullptr;
  int dynamic_shared = 48 * 1024;
  int launches = 0;
};

namespace {

struct FakeDevice {
  std::string name = "Fake GPU";
  int major = 8;
  int minor = 0;
  int multiprocessors = 8;
  std::size_t memory = std::size_t{64} << 20;
};

/// All that a process has of the driver.
struct Driver {
  std::vector<FakeDevice> devices;
  double now = 0;  ///< of the GPU, seconds
  bool profiled = false;
  double joules = 0;
  double shown_joules = 0;         ///< as its counter shows them,
  double shown_at = 0;             ///< since then
  CUresult sticky = CUDA_SUCCESS;  ///< that spoilt the context
  std::map<CUdeviceptr, std::size_t> allocations;
  int allocated_so_far = 0;
  std::vector<std::unique_ptr<CUmod_st>> modules;
  std::vector<std::unique_ptr<CUfunc_st>> functions;
  std::mt19937 random{1};
};

std::string value_of(const Rule& rule, const char* key, const std::string& otherwise) {
  const auto found = rule.match.find(key);
  return found != rule.match.end() ? found->second : otherwise;
}

FakeDevice device_of(const Rule& rule) {
  FakeDevice device;
  device.name = value_of(rule, "name", "Fake_GPU");
  std::replace(device.name.begin(), device.name.end(), '_', ' ');
  const std::string cc = value_of(rule, "cc", "8.0");
  device.major = std::stoi(cc);
  device.minor = std::stoi(cc.substr(cc.find('.') + 1));
  device.multiprocessors = std::stoi(value_of(rule, "sms", "8"));
  device.memory = std::stoull(value_of(rule, "memory_mb", "64")) << 20;
  return device;
}

Driver& driver() {
  static Driver it;
  return it;
}

/// The process' devices, as the script has them.
void find_devices() {
  driver().devices.clear();
  for (const Rule& rule : Script::get().rules()) {
    if (rule.event == "device") {
      driver().devices.push_back(device_of(rule));
    }
  }
  if (driver().devices.empty()) {
    driver().devices.emplace_back();
  }
}

char* memory(CUdeviceptr address) {
  return reinterpret_cast<char*>(address);
}

[[noreturn]] void hang() {
  while (true) {
    pause();
  }
}

/// Half a message on whatever pipe this process writes to, and the end.
[[noreturn]] void tear_a_message() {
  for (int descriptor = 3; descriptor < 64; ++descriptor) {
    struct stat status{};
    const bool is_pipe = fstat(descriptor, &status) == 0 && S_ISFIFO(status.st_mode);
    if (is_pipe && (fcntl(descriptor, F_GETFL) & O_ACCMODE) == O_WRONLY) {
      const char half[] = {100, 0, 0, 0, '{', '"'};
      [[maybe_unused]] const auto ignored = write(descriptor, half, sizeof half);
    }
  }
  raise(SIGKILL);
  _exit(1);
}

CUresult end_process(const std::string& action) {
  if (action == "kill") {
    raise(SIGKILL);
  }
  if (action == "exit") {
    _exit(3);
  }
  if (action == "torn") {
    tear_a_message();
  }
  if (action == "hang") {
    hang();
  }
  return CUDA_SUCCESS;
}

void spoil(const std::string& action, const fake_cuda::Output& output) {
  const float nan = std::nanf("");
  if (action == "wrong") {
    output.data[1] ^= 0x40;
  } else if (action == "nan") {
    std::memcpy(output.data, &nan, sizeof nan);
  } else if (action == "overrun") {
    std::memset(output.data + output.bytes, 0, 4);
  } else if (action == "underrun") {
    std::memset(output.data - 4, 0, 4);
  }
}

/// What a kernel takes: by its name, so that configurations differ, and as the script says.
double seconds_of(CUfunc_st& function) {
  double seconds = 1e-3;
  for (const char* block : {"Li32E", "Li64E", "Li128E", "Li256E", "Li512E"}) {
    if (function.name.find(block) != std::string::npos) {
      break;
    }
    seconds *= 0.9;
  }
  for (const Rule& rule : Script::get().rules()) {
    if (rule.event != "time" ||
        function.name.find(value_of(rule, "kernel", "")) == std::string::npos) {
      continue;
    }
    seconds = std::stod(value_of(rule, "us", std::to_string(seconds * 1e6))) * 1e-6;
    const double noise = std::stod(value_of(rule, "noise", "0"));
    seconds *= std::uniform_real_distribution<>(1 - noise, 1 + noise)(driver().random);
    seconds *= 1 + std::stod(value_of(rule, "drift", "0")) * function.launches;
  }
  ++function.launches;
  return seconds;
}

void spend(const CUfunc_st& function, double seconds) {
  double watts = 100;
  for (const Rule& rule : Script::get().rules()) {
    if (rule.event == "power" &&
        function.name.find(value_of(rule, "kernel", "")) != std::string::npos) {
      watts = std::stod(value_of(rule, "watts", "100"));
    }
  }
  driver().now += seconds;
  driver().joules += watts * seconds;
  constexpr double step = 0.05;
  if (driver().now - driver().shown_at >= step) {
    driver().shown_joules = driver().joules;
    driver().shown_at = driver().now;
  }
}

CUresult run_kernel(CUfunc_st& function, std::vector<void*> arguments) {
  const auto rule = Script::get().find(
      "launch", {{"kernel", function.name}, {"profiled", fake_cuda::is_profiled() ? "1" : "0"}});
  const std::string action = rule ? rule->action : "";
  end_process(action);
  if (action == "fault" || action == "lost") {
    driver().sticky = action == "lost" ? CUDA_ERROR_ECC_UNCORRECTABLE
                                       : static_cast<CUresult>(std::stoi(rule->argument));
    if (action == "lost") {
      Script::get().leave_mark("lost");
    }
    return driver().sticky;
  }
  if (action != "unwritten") {
    spoil(action, function.kernel(arguments.data()));
  }
  spend(function, seconds_of(function));
  return CUDA_SUCCESS;
}

CUresult work_off(CUstream stream) {
  for (std::size_t i = 0; i < stream->queue.size(); ++i) {
    const CUresult result = stream->queue[i]();
    if (result != CUDA_SUCCESS) {
      stream->queue.clear();
      return result;
    }
  }
  stream->queue.clear();
  return CUDA_SUCCESS;
}

CUresult queue(CUstream stream, std::function<CUresult()> what) {
  if (driver().sticky != CUDA_SUCCESS) {
    return driver().sticky;
  }
  stream->queue.push_back(std::move(what));
  return CUDA_SUCCESS;
}

/// Values of arguments are copied by a launch.
std::vector<void*> copy_arguments(void** arguments, std::vector<std::array<char, 8>>& values) {
  constexpr std::size_t count = 3;
  constexpr std::size_t sizes[count] = {8, 8, 4};
  values.resize(count);
  std::vector<void*> pointers;
  for (std::size_t i = 0; i < count; ++i) {
    std::memcpy(values[i].data(), arguments[i], sizes[i]);
    pointers.push_back(values[i].data());
  }
  return pointers;
}

}  // namespace

bool fake_cuda::is_profiled() {
  return driver().profiled;
}

void fake_cuda::set_profiled(bool is_open) {
  driver().profiled = is_open;
}

double fake_cuda::shown_joules() {
  return driver().shown_joules;
}

extern "C" {

CUresult cuInit(unsigned) {
  Script::get().load();
  find_devices();
  if (Script::get().has_mark("lost")) {
    return CUDA_ERROR_NO_DEVICE;
  }
  return static_cast<CUresult>(Script::get().error("start", {}));
}

CUresult cuDriverGetVersion(int* version) {
  *version = 13000;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int* count) {
  *count = static_cast<int>(driver().devices.size());
  return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice* device, int index) {
  *device = index;
  return index < static_cast<int>(driver().devices.size()) ? CUDA_SUCCESS
                                                           : CUDA_ERROR_INVALID_DEVICE;
}

CUresult cuDeviceGetName(char* name, int length, CUdevice device) {
  std::strncpy(name, driver().devices[static_cast<std::size_t>(device)].name.c_str(),
               static_cast<std::size_t>(length) - 1);
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetPCIBusId(char* text, int length, CUdevice device) {
  std::snprintf(text, static_cast<std::size_t>(length), "0000:%02x:00.0", device);
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute which, CUdevice device) {
  const FakeDevice& it = driver().devices[static_cast<std::size_t>(device)];
  const std::map<CUdevice_attribute, int> values = {
      {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, it.major},
      {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, it.minor},
      {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, it.multiprocessors},
      {CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 1400000},
      {CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, 1000000},
      {CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, 512},
      {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 1 << 20},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 163 * 1024},
  };
  const auto found = values.find(which);
  if (found == values.end()) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  *value = found->second;
  return CUDA_SUCCESS;
}

CUresult cuDeviceTotalMem_v2(std::size_t* bytes, CUdevice device) {
  *bytes = driver().devices[static_cast<std::size_t>(device)].memory;
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice) {
  *context = nullptr;
  return static_cast<CUresult>(Script::get().error("context", {}));
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice) {
  return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext) {
  return CUDA_SUCCESS;
}

CUresult cuMemGetInfo_v2(std::size_t* free_bytes, std::size_t* total) {
  std::size_t used = 0;
  for (const auto& allocation : driver().allocations) {
    used += allocation.second;
  }
  *total = driver().devices.front().memory;
  *free_bytes = *total - used;
  return CUDA_SUCCESS;
}

CUresult cuMemAlloc_v2(CUdeviceptr* address, std::size_t bytes) {
  ++driver().allocated_so_far;
  const int error =
      Script::get().error("alloc", {{"n", std::to_string(driver().allocated_so_far)}});
  if (error != 0) {
    return static_cast<CUresult>(error);
  }
  std::size_t free_bytes = 0;
  std::size_t total = 0;
  cuMemGetInfo_v2(&free_bytes, &total);
  if (bytes > free_bytes) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  *address = reinterpret_cast<CUdeviceptr>(std::malloc(bytes));
  driver().allocations[*address] = bytes;
  return CUDA_SUCCESS;
}

CUresult cuMemFree_v2(CUdeviceptr address) {
  driver().allocations.erase(address);
  std::free(memory(address));
  return CUDA_SUCCESS;
}

CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void* from, std::size_t bytes) {
  std::memcpy(memory(to), from, bytes);
  return driver().sticky;
}

CUresult cuMemcpyDtoH_v2(void* to, CUdeviceptr from, std::size_t bytes) {
  std::memcpy(to, memory(from), bytes);
  return driver().sticky;
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, std::size_t bytes,
                              CUstream stream) {
  return queue(stream, [=] {
    std::memcpy(memory(to), memory(from), bytes);
    return CUDA_SUCCESS;
  });
}

CUresult cuMemsetD16Async(CUdeviceptr address, unsigned short value, std::size_t count,
                          CUstream stream) {
  return queue(stream, [=] {
    std::fill_n(reinterpret_cast<unsigned short*>(address), count, value);
    return CUDA_SUCCESS;
  });
}

CUresult cuMemsetD8Async(CUdeviceptr address, unsigned char value, std::size_t bytes,
                         CUstream stream) {
  return queue(stream, [=] {
    std::memset(memory(address), value, bytes);
    return CUDA_SUCCESS;
  });
}

CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned, CUjit_option*,
                            void** values) {
  auto made = std::make_unique<CUmod_st>();
  const char* text = static_cast<const char*>(image);
  // An ELF file says how long it is by its section table, which NVRTC's cubins have at their end.
  if (std::memcmp(text, "\177ELF", 4) == 0) {
    std::uint64_t sections = 0;
    std::uint16_t size = 0;
    std::uint16_t count = 0;
    std::memcpy(&sections, text + 0x28, 8);
    std::memcpy(&size, text + 0x3a, 2);
    std::memcpy(&count, text + 0x3c, 2);
    made->image.assign(text, sections + std::size_t{size} * count);
  } else {
    made->image = text;
  }
  const int error = Script::get().error("load", {{"kernel", made->image}});
  if (error != 0) {
    if (error == CUDA_ERROR_INVALID_PTX) {
      std::strcpy(static_cast<char*>(values[0]), "ptxas fatal: line 7 does not parse");
    }
    return static_cast<CUresult>(error);
  }
  *module = made.get();
  driver().modules.push_back(std::move(made));
  return CUDA_SUCCESS;
}

CUresult cuModuleUnload(CUmodule) {
  return driver().sticky;
}

CUresult cuModuleGetFunction(CUfunction* function, CUmodule, const char* name) {
  if (const int error = Script::get().error("find", {{"kernel", name}}); error != 0) {
    return static_cast<CUresult>(error);
  }
  auto made = std::make_unique<CUfunc_st>();
  made->name = name;
  made->kernel = fake_cuda::find_kernel(name);
  if (made->kernel == nullptr) {
    return CUDA_ERROR_NOT_FOUND;
  }
  *function = made.get();
  driver().functions.push_back(std::move(made));
  return CUDA_SUCCESS;
}

CUresult cuFuncGetAttribute(int* value, CUfunction_attribute which, CUfunction function) {
  const auto rule = Script::get().find(
      "function", {{"kernel", function->name}, {"attribute", std::to_string(which)}});
  if (rule) {
    *value = std::stoi(rule->argument);
  } else if (which == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK) {
    *value = 1024;
  } else {
    *value = which == CU_FUNC_ATTRIBUTE_NUM_REGS ? 32 : 0;
  }
  return CUDA_SUCCESS;
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute which, int value) {
  if (which == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) {
    function->dynamic_shared = value;
  }
  return CUDA_SUCCESS;
}

CUresult cuLaunchKernel(CUfunction function, unsigned, unsigned, unsigned, unsigned x, unsigned y,
                        unsigned z, unsigned shared, CUstream stream, void** arguments, void**) {
  if (driver().sticky != CUDA_SUCCESS) {
    return driver().sticky;
  }
  if (x * y * z > 1024 || static_cast<int>(shared) > function->dynamic_shared) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  const auto rule = Script::get().find("call", {{"kernel", function->name}});
  if (rule && rule->action == "error") {
    return static_cast<CUresult>(std::stoi(rule->argument));
  }
  if (rule && rule->action == "waits") {
    work_off(stream);
  }
  const auto values = std::make_shared<std::vector<std::array<char, 8>>>();
  const std::vector<void*> pointers = copy_arguments(arguments, *values);
  return queue(stream, [=] { return values ? run_kernel(*function, pointers) : CUDA_SUCCESS; });
}

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void* data) {
  return queue(stream, [=] {
    function(data);
    return CUDA_SUCCESS;
  });
}

CUresult cuStreamCreate(CUstream* stream, unsigned) {
  *stream = new CUstream_st;
  return CUDA_SUCCESS;
}

CUresult cuStreamDestroy_v2(CUstream stream) {
  delete stream;
  return CUDA_SUCCESS;
}

CUresult cuStreamSynchronize(CUstream stream) {
  return driver().sticky != CUDA_SUCCESS ? driver().sticky : work_off(stream);
}

CUresult cuEventCreate(CUevent* event, unsigned) {
  *event = new CUevent_st;
  return CUDA_SUCCESS;
}

CUresult cuEventDestroy_v2(CUevent event) {
  delete event;
  return CUDA_SUCCESS;
}

CUresult cuEventRecord(CUevent event, CUstream stream) {
  return queue(stream, [=] {
    event->seconds = driver().now;
    return CUDA_SUCCESS;
  });
}

CUresult cuEventElapsedTime(float* milliseconds, CUevent begin, CUevent end) {
  *milliseconds = static_cast<float>((end->seconds - begin->seconds) * 1e3);
  return driver().sticky;
}

}  // extern "C"
