# Finds the parts of CUDA that rooftune builds with: NVRTC, the headers and, optionally, CUPTI.
# Looked for in CUDA_PATH, CUDA_HOME, CUDAPARTS_HINTS, the wheels that `./quickstart` puts under the build folder,
# beside nvcc on PATH, and the usual prefixes; in the wheels alone where the environment sets
# ROOFTUNE_IGNORE_SYSTEM_CUDA=1. A library is found by itself, a header by itself.
# Sets CudaParts_FOUND, CudaParts_VERSION, CUDAPARTS_INCLUDE_DIRS, and the target CudaParts::nvrtc.

set(_parts CUDAPARTS_NVRTC_INCLUDE CUDAPARTS_INCLUDE CUDAPARTS_NVRTC_LIBRARY CUDAPARTS_CUPTI_INCLUDE
    CUDAPARTS_CUPTI_LIBRARY)
find_program(ROOFTUNE_NVCC nvcc)
set(_hints "")
if(NOT "$ENV{ROOFTUNE_IGNORE_SYSTEM_CUDA}")
  foreach(variable CUDA_PATH CUDA_HOME)
    if(DEFINED ENV{${variable}})
      list(APPEND _hints $ENV{${variable}})
    endif()
  endforeach()
endif()
list(APPEND _hints ${CUDAPARTS_HINTS})
file(GLOB _wheels ${PROJECT_SOURCE_DIR}/build/cuda/nvidia/cu1*)
list(APPEND _hints ${_wheels})
if(NOT "$ENV{ROOFTUNE_IGNORE_SYSTEM_CUDA}")
  if(ROOFTUNE_NVCC)
    get_filename_component(_nvcc ${ROOFTUNE_NVCC} REALPATH)
    get_filename_component(_nvcc_bin ${_nvcc} DIRECTORY)
    get_filename_component(_nvcc_root ${_nvcc_bin} DIRECTORY)
    list(APPEND _hints ${_nvcc_root})
  endif()
  list(APPEND _hints /usr/local/cuda /opt/cuda /usr/lib/cuda /usr)
endif()

# Another environment since the last time: what was found then may not be what is wanted now.
if(NOT "${_hints}" STREQUAL "${CUDAPARTS_LOOKED_IN}")
  foreach(part IN LISTS _parts)
    unset(${part} CACHE)
  endforeach()
  set(CUDAPARTS_LOOKED_IN "${_hints}" CACHE INTERNAL "Where CUDA was looked for")
endif()

find_path(CUDAPARTS_NVRTC_INCLUDE nvrtc.h HINTS ${_hints}
          PATH_SUFFIXES include targets/x86_64-linux/include NO_DEFAULT_PATH)
find_path(CUDAPARTS_INCLUDE cuda_occupancy.h HINTS ${_hints}
          PATH_SUFFIXES include targets/x86_64-linux/include NO_DEFAULT_PATH)
find_library(CUDAPARTS_NVRTC_LIBRARY NAMES nvrtc libnvrtc.so.13 libnvrtc.so.12 HINTS ${_hints}
             PATH_SUFFIXES lib64 lib targets/x86_64-linux/lib NO_DEFAULT_PATH)
# Optional: hardware counters (the headers, from CUDA 12.8 on; the library is loaded at run time).
find_path(CUDAPARTS_CUPTI_INCLUDE cupti_range_profiler.h HINTS ${_hints}
          PATH_SUFFIXES include extras/CUPTI/include targets/x86_64-linux/include NO_DEFAULT_PATH)
find_library(CUDAPARTS_CUPTI_LIBRARY NAMES cupti libcupti.so.13 libcupti.so.12 HINTS ${_hints}
             PATH_SUFFIXES lib64 lib extras/CUPTI/lib64 targets/x86_64-linux/lib NO_DEFAULT_PATH)
if(EXISTS "${CUDAPARTS_INCLUDE}/cuda.h")
  file(STRINGS ${CUDAPARTS_INCLUDE}/cuda.h _version REGEX "^#define CUDA_VERSION [0-9]+")
  string(REGEX MATCH "[0-9]+" _version "${_version}")
  math(EXPR _major "${_version} / 1000")
  math(EXPR _minor "${_version} % 1000 / 10")
  set(CudaParts_VERSION ${_major}.${_minor})
endif()

list(JOIN _hints ", " _tried)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(CudaParts
  REQUIRED_VARS CUDAPARTS_NVRTC_LIBRARY CUDAPARTS_NVRTC_INCLUDE CUDAPARTS_INCLUDE
  VERSION_VAR CudaParts_VERSION
  REASON_FAILURE_MESSAGE "looked in: ${_tried}. Set CUDA_PATH, or run ./quickstart, which takes NVRTC and the headers from NVIDIA's PyPI wheels.")

# For a project that uses an installed rooftune: look there first.
get_filename_component(CUDAPARTS_FOUND_IN "${CUDAPARTS_INCLUDE}" DIRECTORY)

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
