// The CUDA driver as a table of functions, loaded at run time: nothing of rooftune links against
// it, so the same program starts where there is no driver.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>

namespace rooftune::cuda {

/// member, symbol, signature. Symbols by the names that drivers export, those of cuda.h being
/// macros that differ from release to release.
#define ROOFTUNE_DRIVER_FUNCTIONS(X)                                                               \
  X(init, "cuInit", CUresult(unsigned))                                                            \
  X(driver_version, "cuDriverGetVersion", CUresult(int*))                                          \
  X(device_count, "cuDeviceGetCount", CUresult(int*))                                              \
  X(device, "cuDeviceGet", CUresult(CUdevice*, int))                                               \
  X(device_name, "cuDeviceGetName", CUresult(char*, int, CUdevice))                                \
  X(device_attribute, "cuDeviceGetAttribute", CUresult(int*, CUdevice_attribute, CUdevice))        \
  X(device_memory, "cuDeviceTotalMem_v2", CUresult(std::size_t*, CUdevice))                        \
  X(device_bus_id, "cuDeviceGetPCIBusId", CUresult(char*, int, CUdevice))                          \
  X(context_retain, "cuDevicePrimaryCtxRetain", CUresult(CUcontext*, CUdevice))                    \
  X(context_release, "cuDevicePrimaryCtxRelease_v2", CUresult(CUdevice))                           \
  X(context_set, "cuCtxSetCurrent", CUresult(CUcontext))                                           \
  X(memory_info, "cuMemGetInfo_v2", CUresult(std::size_t*, std::size_t*))                          \
  X(allocate, "cuMemAlloc_v2", CUresult(CUdeviceptr*, std::size_t))                                \
  X(free, "cuMemFree_v2", CUresult(CUdeviceptr))                                                   \
  X(copy_to_device, "cuMemcpyHtoD_v2", CUresult(CUdeviceptr, const void*, std::size_t))            \
  X(copy_to_host, "cuMemcpyDtoH_v2", CUresult(void*, CUdeviceptr, std::size_t))                    \
  X(copy_on_device, "cuMemcpyDtoDAsync_v2",                                                        \
    CUresult(CUdeviceptr, CUdeviceptr, std::size_t, CUstream))                                     \
  X(fill_words, "cuMemsetD16Async", CUresult(CUdeviceptr, unsigned short, std::size_t, CUstream))  \
  X(fill_bytes, "cuMemsetD8Async", CUresult(CUdeviceptr, unsigned char, std::size_t, CUstream))    \
  X(load_module, "cuModuleLoadDataEx",                                                             \
    CUresult(CUmodule*, const void*, unsigned, CUjit_option*, void**))                             \
  X(unload_module, "cuModuleUnload", CUresult(CUmodule))                                           \
  X(find_function, "cuModuleGetFunction", CUresult(CUfunction*, CUmodule, const char*))            \
  X(function_attribute, "cuFuncGetAttribute", CUresult(int*, CUfunction_attribute, CUfunction))    \
  X(set_function_attribute, "cuFuncSetAttribute", CUresult(CUfunction, CUfunction_attribute, int)) \
  X(launch, "cuLaunchKernel",                                                                      \
    CUresult(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,     \
             CUstream, void**, void**))                                                            \
  X(call_host, "cuLaunchHostFunc", CUresult(CUstream, CUhostFn, void*))                            \
  X(create_stream, "cuStreamCreate", CUresult(CUstream*, unsigned))                                \
  X(destroy_stream, "cuStreamDestroy_v2", CUresult(CUstream))                                      \
  X(wait_for_stream, "cuStreamSynchronize", CUresult(CUstream))                                    \
  X(create_event, "cuEventCreate", CUresult(CUevent*, unsigned))                                   \
  X(destroy_event, "cuEventDestroy_v2", CUresult(CUevent))                                         \
  X(record_event, "cuEventRecord", CUresult(CUevent, CUstream))                                    \
  X(event_milliseconds, "cuEventElapsedTime", CUresult(float*, CUevent, CUevent))

struct DriverApi {
#define ROOFTUNE_MEMBER(member, symbol, ...) std::add_pointer_t<__VA_ARGS__> member = nullptr;
  ROOFTUNE_DRIVER_FUNCTIONS(ROOFTUNE_MEMBER)
#undef ROOFTUNE_MEMBER
};

/// nullptr, and `why` in words, where there is no driver or it lacks a function. The library is
/// libcuda.so.1, or, for tests against a double, the one that ROOFTUNE_CUDA_DRIVER names.
std::shared_ptr<const DriverApi> load_driver(std::string& why);

}  // namespace rooftune::cuda
