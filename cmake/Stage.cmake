# The project's few CMake words. A stage is a static library `rooftune_NAME` (alias
# `rooftune::NAME`) in the folder that calls this.

include(GNUInstallDirs)

add_library(rooftune_options INTERFACE)
target_compile_features(rooftune_options INTERFACE cxx_std_20)
target_compile_options(rooftune_options INTERFACE
  $<BUILD_INTERFACE:-Wall> $<BUILD_INTERFACE:-Wextra> $<BUILD_INTERFACE:-Wpedantic> $<BUILD_INTERFACE:-Werror>
  # g++ 12 sees overlaps in std::string that cannot be (GCC bug 105651).
  $<BUILD_INTERFACE:$<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>>)
if(ROOFTUNE_SANITIZE)
  target_compile_options(rooftune_options INTERFACE
    $<BUILD_INTERFACE:-fsanitize=${ROOFTUNE_SANITIZE}>
    $<BUILD_INTERFACE:-fno-sanitize-recover=all> $<BUILD_INTERFACE:-fno-omit-frame-pointer>)
  target_link_options(rooftune_options INTERFACE $<BUILD_INTERFACE:-fsanitize=${ROOFTUNE_SANITIZE}>)
endif()
install(TARGETS rooftune_options EXPORT rooftuneTargets)

# rooftune_stage(NAME SOURCES a.cpp ... [DEPENDS stages...] [USES libraries...] [PRIVATE libraries...]
#                [INTERNAL])
# INTERNAL: the command's, not a part of the installed library.
function(rooftune_stage name)
  cmake_parse_arguments(arg "INTERNAL" "" "SOURCES;DEPENDS;USES;PRIVATE" ${ARGN})
  add_library(rooftune_${name} STATIC ${arg_SOURCES})
  add_library(rooftune::${name} ALIAS rooftune_${name})
  set_target_properties(rooftune_${name} PROPERTIES EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON)
  list(TRANSFORM arg_DEPENDS PREPEND rooftune_)
  target_link_libraries(rooftune_${name} PUBLIC rooftune_options ${arg_DEPENDS} ${arg_USES}
                                         PRIVATE ${arg_PRIVATE})
  target_include_directories(rooftune_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/rooftune>)
  if(NOT arg_INTERNAL)
    install(TARGETS rooftune_${name} EXPORT rooftuneTargets)
  endif()
  set_property(GLOBAL APPEND PROPERTY ROOFTUNE_STAGES ${name})
endfunction()

# rooftune_test(NAME SOURCES a_test.cpp ... DEPENDS stages... [USES libraries...] [LABELS unit|slow|...])
# Each test executable is discovered case by case; the label is `unit` unless another is given.
function(rooftune_test name)
  cmake_parse_arguments(arg "" "TIMEOUT" "SOURCES;DEPENDS;USES;LABELS;ENVIRONMENT" ${ARGN})
  if(NOT ROOFTUNE_TESTS)
    return()
  endif()
  if(NOT arg_LABELS)
    set(arg_LABELS unit)
  endif()
  if(ROOFTUNE_SANITIZE AND NOT unit IN_LIST arg_LABELS)
    return()  # what runs variants has builds of them with sanitizers
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  list(TRANSFORM arg_DEPENDS PREPEND rooftune_)
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_DEPENDS} ${arg_USES} GTest::gmock GTest::gtest_main)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_definitions(${name} PRIVATE
    ROOFTUNE_SOURCE_DIR="${PROJECT_SOURCE_DIR}" ROOFTUNE_BINARY_DIR="${PROJECT_BINARY_DIR}")
  # A test runs for milliseconds and is compiled for seconds: the code under test keeps its options,
  # sanitizers among them.
  target_compile_options(${name} PRIVATE -O0 -fno-sanitize=all)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  # What runs long is started first, so that no core waits for it in the end.
  set(cost 1)
  if(NOT unit IN_LIST arg_LABELS)
    set(cost 100)
  endif()
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60
    PROPERTIES COST ${cost} LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT} ENVIRONMENT "${arg_ENVIRONMENT}")
endfunction()

# rooftune_benchmark(NAME SOURCES ... DEPENDS stages...): run by hand, never by the tests.
function(rooftune_benchmark name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPENDS" ${ARGN})
  if(NOT ROOFTUNE_BENCHMARKS)
    return()
  endif()
  list(TRANSFORM arg_DEPENDS PREPEND rooftune_)
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_DEPENDS} benchmark::benchmark_main)
  target_compile_definitions(${name} PRIVATE ROOFTUNE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/benchmarks)
endfunction()
