#include <unistd.h>

#include <iostream>

#include "tuner/cli/command.hpp"

int main(int argc, char** argv) {
  rooftune::cli::Io io{std::cout, std::cerr, isatty(STDERR_FILENO) == 1};
  return rooftune::cli::run(argc, argv, io);
}
