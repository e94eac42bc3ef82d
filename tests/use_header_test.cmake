# From a spec to a program, as examples/use_header/README.md has it, with a small budget.
#   cmake -DBUILD=... -DSOURCE=... -DCOMPILER=... -DGENERATOR=... -P use_header_test.cmake
set(folder ${BUILD}/use_header_test)
file(REMOVE_RECURSE ${folder})
file(MAKE_DIRECTORY ${folder})

macro(step)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${folder} COMMAND_ERROR_IS_FATAL ANY)
endmacro()

step(${BUILD}/rooftune tune ${SOURCE}/configs/kernels/transpose.yaml --device host
     --problem rows=512,columns=512 --problem rows=2048,columns=256 --evaluations 2 --out out)
step(${BUILD}/rooftune header out --include-host --embed launcher -o transpose_tuned.hpp)
step(${CMAKE_COMMAND} -S ${SOURCE}/examples/use_header -B ${folder}/build -G ${GENERATOR}
     -DTUNED_FOLDER=${folder} -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_CUDA_ARCHITECTURES=80)
step(${CMAKE_COMMAND} --build ${folder}/build)
execute_process(COMMAND ${folder}/build/use_header OUTPUT_VARIABLE output COMMAND_ECHO STDOUT
                COMMAND_ERROR_IS_FATAL ANY)
message("${output}")
if(NOT output MATCHES "default: transpose<.*transposed 512 x 512 on the [CG]PU: right\n")
  message(FATAL_ERROR "the program does not say that the result is right")
endif()
