# What `cmake --install` gives to other projects: the public headers, the stages' libraries, and
# `find_package(rooftune)` with the one target `rooftune::rooftune`.
include(CMakePackageConfigHelpers)

# A stage's other headers are its own.
set(public_headers
    tuner/core/error.hpp tuner/core/hash.hpp tuner/core/outcome.hpp tuner/core/units.hpp
    tuner/core/value.hpp
    tuner/spec/expression.hpp tuner/spec/instance.hpp tuner/spec/spec.hpp
    tuner/space/space.hpp
    tuner/occupancy/occupancy.hpp tuner/occupancy/explore.hpp
    tuner/compile/compiler.hpp
    tuner/roofline/profile.hpp tuner/roofline/roofline.hpp
    search/policy.hpp
    tuner/device/device.hpp tuner/device/open.hpp tuner/device/host/host_device.hpp
    tuner/session/results.hpp tuner/session/session.hpp
    tuner/report/report.hpp)

add_library(rooftune_rooftune INTERFACE)
add_library(rooftune::rooftune ALIAS rooftune_rooftune)
set_target_properties(rooftune_rooftune PROPERTIES EXPORT_NAME rooftune)
target_link_libraries(rooftune_rooftune INTERFACE rooftune_report rooftune_devices)
target_include_directories(rooftune_rooftune INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
install(TARGETS rooftune_rooftune EXPORT rooftuneTargets)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/rooftune)
foreach(header ${public_headers})
  get_filename_component(folder ${header} DIRECTORY)
  install(FILES ${PROJECT_SOURCE_DIR}/${header}
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/rooftune/${folder})
endforeach()
install(FILES ${PROJECT_SOURCE_DIR}/include/rooftune/rooftune.hpp
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/rooftune)
install(EXPORT rooftuneTargets NAMESPACE rooftune:: DESTINATION ${package_folder})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/rooftuneConfig.cmake.in
  ${PROJECT_BINARY_DIR}/rooftuneConfig.cmake INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/rooftuneConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/rooftuneConfig.cmake
              ${PROJECT_BINARY_DIR}/rooftuneConfigVersion.cmake
              ${PROJECT_SOURCE_DIR}/cmake/FindCudaParts.cmake
        DESTINATION ${package_folder})

# Each public header stands by itself: it compiles alone, and twice.
if(ROOFTUNE_TESTS AND NOT ROOFTUNE_SANITIZE)
  foreach(header ${public_headers} include/rooftune/rooftune.hpp)
    string(MAKE_C_IDENTIFIER ${header} name)
    set(source ${PROJECT_BINARY_DIR}/public_headers/${name}.cpp)
    file(GENERATE OUTPUT ${source} CONTENT "#include \"${header}\"\n#include \"${header}\"\n")
    list(APPEND header_sources ${source})
  endforeach()
  add_library(rooftune_public_headers OBJECT ${header_sources})
  target_link_libraries(rooftune_public_headers PRIVATE rooftune_rooftune)
endif()
