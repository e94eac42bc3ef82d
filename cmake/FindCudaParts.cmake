# Finds the parts of CUDA that rooftune builds with: NVRTC, the headers, and CUPTI where it is.
# Looked for in CUDA_PATH, CUDA_HOME, beside nvcc on PATH, the usual prefixes, and the wheels that
# `./quickstart` puts under the build folder. A library is found by itself, a header by itself.
# Sets CudaParts_FOUND, CUDAPARTS_INCLUDE_DIRS, and the target CudaParts::nvrtc.

set(_hints "")
foreach(variable CUDA_PATH CUDA_HOME)
  if(DEFINED ENV{${variable}})
    list(APPEND _hints $ENV{${variable}})
  endif()
endforeach()
find_program(ROOFTUNE_NVCC nvcc)
if(ROOFTUNE_NVCC)
  get_filename_component(_nvcc ${ROOFTUNE_NVCC} REALPATH)
  get_filename_component(_nvcc_bin ${_nvcc} DIRECTORY)
  get_filename_component(_nvcc_root ${_nvcc_bin} DIRECTORY)
  list(APPEND _hints ${_nvcc_root})
endif()
list(APPEND _hints /usr/local/cuda /opt/cuda /usr/lib/cuda /usr)
file(GLOB _wheels ${PROJECT_SOURCE_DIR}/build/cuda/nvidia/cu1*)
list(APPEND _hints ${_wheels})

find_path(CUDAPARTS_NVRTC_INCLUDE nvrtc.h HINTS ${_hints}
          PATH_SUFFIXES include targets/x86_64-linux/include NO_DEFAULT_PATH)
find_path(CUDAPARTS_INCLUDE cuda_occupancy.h HINTS ${_hints}
          PATH_SUFFIXES include targets/x86_64-linux/include NO_DEFAULT_PATH)
find_library(CUDAPARTS_NVRTC_LIBRARY NAMES nvrtc libnvrtc.so.13 libnvrtc.so.12 HINTS ${_hints}
             PATH_SUFFIXES lib64 lib targets/x86_64-linux/lib NO_DEFAULT_PATH)

list(JOIN _hints ", " _tried)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(CudaParts
  REQUIRED_VARS CUDAPARTS_NVRTC_LIBRARY CUDAPARTS_NVRTC_INCLUDE CUDAPARTS_INCLUDE
  REASON_FAILURE_MESSAGE "looked in: ${_tried}. Set CUDA_PATH, or run ./quickstart, which takes NVRTC and the headers from NVIDIA's PyPI wheels.")

if(CudaParts_FOUND AND NOT TARGET CudaParts::nvrtc)
  set(CUDAPARTS_INCLUDE_DIRS ${CUDAPARTS_INCLUDE})
  if(EXISTS ${CUDAPARTS_INCLUDE}/cccl)
    list(APPEND CUDAPARTS_INCLUDE_DIRS ${CUDAPARTS_INCLUDE}/cccl)
  endif()
  add_library(CudaParts::nvrtc UNKNOWN IMPORTED)
  set_target_properties(CudaParts::nvrtc PROPERTIES
    IMPORTED_LOCATION ${CUDAPARTS_NVRTC_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES "${CUDAPARTS_NVRTC_INCLUDE};${CUDAPARTS_INCLUDE}"
    INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${CUDAPARTS_NVRTC_INCLUDE};${CUDAPARTS_INCLUDE}")
endif()
