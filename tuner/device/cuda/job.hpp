// What the worker process of a GPU is told to do, and what it answers: values, and their JSON.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tuner/device/compare.hpp"
#include "tuner/device/device.hpp"

namespace rooftune::cuda {

/// A kernel that can be launched.
struct Program {
  std::string file;  ///< cubin or PTX
  std::string entry;
  Launch launch;
};

struct Job {
  Program kernel;
  std::optional<Program> reference;  ///< gives the expected outputs
  std::vector<Argument> arguments;
  std::vector<ErrorLimits> limits;                    ///< one for each argument
  std::map<std::string, std::string> expected_files;  ///< argument name -> raw elements
  std::vector<std::string> argument_keys;             ///< equal keys: equal inputs
  std::string expected_key;                           ///< equal keys: equal expected outputs
  MeasureOptions options;
};

/// As JSON.
std::string to_text(const Job& job);
/// Throws std::exception for what is no job.
Job job_from(const std::string& text);

/// What the worker is at, so that whoever watches knows how long to wait.
struct Step {
  std::string what;        ///< "setting up the buffers", "a launch"
  double limit = 60;       ///< seconds until the next word must come
  bool launch = false;     ///< a kernel of the configuration runs
  bool reference = false;  ///< the reference kernel runs
};

/// The spec is at fault, not the configuration: becomes an InputError.
struct SpecFault {
  std::string problem;
  std::string hint;
};

struct Answer {
  std::variant<Measurement, Failure, SpecFault> result;
  bool worker_ends = false;  ///< the context is spoilt: a new worker is needed
  bool device_lost = false;
  std::string counter_refusal;  ///< why counters could not be read
  std::string counter_note;     ///< how they were read
};

/// A message of the worker: that it is ready, where it is, or what came of the job.
struct Ready {};
using Message = std::variant<Ready, Step, Answer>;
/// As JSON; bytes that are not UTF-8 (a compiler's log) are replaced.
std::string to_text(const Message& message);
/// Throws std::exception for what is no message.
Message message_from(const std::string& text);

}  // namespace rooftune::cuda
