# Installs the build, then configures, builds and runs the example against the installed tree.
#   cmake -DBUILD=... -DSOURCE=... ... -P install_test.cmake
set(folder ${BUILD}/install_test)
file(REMOVE_RECURSE ${folder})
file(MAKE_DIRECTORY ${folder}/run)

macro(step)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endmacro()

step(${CMAKE_COMMAND} --install ${BUILD} --prefix ${folder}/prefix)
step(${CMAKE_COMMAND} -S ${SOURCE}/examples/tune_from_cpp -B ${folder}/build -G ${GENERATOR}
     -DCMAKE_PREFIX_PATH=${folder}/prefix -DCMAKE_BUILD_TYPE=${BUILD_TYPE}
     -DCMAKE_CXX_COMPILER=${COMPILER})
step(${CMAKE_COMMAND} --build ${folder}/build)
# The installed files are used, not those of the build.
execute_process(COMMAND ${CMAKE_COMMAND} -E env
                ROOFTUNE_HOST_RUNTIME=${folder}/prefix/${LIBDIR}/rooftune/host
                ROOFTUNE_CONFIGS=${folder}/prefix/share/rooftune/configs
                ${folder}/build/tune_from_cpp WORKING_DIRECTORY ${folder}/run
                OUTPUT_VARIABLE output COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
message("${output}")
if(NOT output MATCHES "best: BLOCK=[0-9]+ VECTOR=[0-9]+ ITEMS=[0-9]+; .*; 6 evaluations of 36\n")
  message(FATAL_ERROR "no verdict on six evaluations")
endif()
if(NOT EXISTS ${folder}/run/saxpy_tuned.hpp)
  message(FATAL_ERROR "the header was not written")
endif()
execute_process(COMMAND ${folder}/prefix/bin/rooftune --version OUTPUT_VARIABLE output
                COMMAND_ERROR_IS_FATAL ANY)
if(NOT output STREQUAL "rooftune ${VERSION}\n")
  message(FATAL_ERROR "the installed command says: ${output}")
endif()
