#include "tuner/device/host/child/job.hpp"

#include <limits>
#include <map>
#include <sstream>
#include <stdexcept>

namespace rooftune::host_child {
namespace {

constexpr const char* task_names[] = {"reference", "verify", "measure"};
constexpr const char* direction_names[] = {"in", "out", "inout"};

template <class Enum, std::size_t N>
Enum enum_from(const std::string& name, const char* const (&names)[N]) {
  for (std::size_t i = 0; i < N; ++i) {
    if (name == names[i]) {
      return static_cast<Enum>(i);
    }
  }
  throw std::runtime_error("job: unknown word " + name);
}

void write_argument(std::ostream& out, const JobArgument& argument) {
  if (!argument.is_buffer) {
    out << "scalar";
    for (const unsigned byte : argument.scalar) {
      out << ' ' << byte;
    }
    out << '\n';
    return;
  }
  out << "buffer " << to_string(argument.format) << ' ' << argument.count << ' '
      << direction_names[static_cast<int>(argument.direction)] << '\n'
      << "name " << argument.name << '\n'
      << "limits " << argument.limits.relative << ' ' << argument.limits.absolute << '\n'
      << "input " << argument.input << '\n'
      << "expected " << argument.expected << '\n'
      << "store " << argument.store << '\n';
}

JobArgument read_scalar(std::istream& in) {
  JobArgument argument;
  for (unsigned byte = 0; in >> byte;) {
    argument.scalar.push_back(static_cast<unsigned char>(byte));
  }
  return argument;
}

JobArgument read_buffer(std::istream& in) {
  JobArgument argument;
  argument.is_buffer = true;
  std::string format;
  std::string direction;
  in >> format >> argument.count >> direction;
  if (!element_format_from(format, argument.format)) {
    throw std::runtime_error("job: unknown format " + format);
  }
  argument.direction = enum_from<Direction>(direction, direction_names);
  return argument;
}

/// Reads one line about the job as a whole. False where the word means something else.
bool read_setting(Job& job, const std::string& word, std::istream& in) {
  if (word == "task") {
    std::string name;
    in >> name;
    job.task = enum_from<Task>(name, task_names);
  } else if (word == "result") {
    std::getline(in >> std::ws, job.result);
  } else if (word == "grid") {
    in >> job.grid[0] >> job.grid[1] >> job.grid[2];
  } else if (word == "block") {
    in >> job.block[0] >> job.block[1] >> job.block[2];
  } else if (word == "launch") {
    in >> job.shared_bytes >> job.workers >> job.strict >> job.seed;
  } else if (word == "sampling") {
    in >> job.sampling.minimum_seconds >> job.sampling.minimum_samples >>
        job.sampling.maximum_samples >> job.sampling.relative_noise;
  } else {
    return false;
  }
  return true;
}

/// Reads one line about the argument before it.
void read_detail(JobArgument& argument, const std::string& word, std::istream& in) {
  if (word == "limits") {
    in >> argument.limits.relative >> argument.limits.absolute;
    return;
  }
  std::string value;
  std::getline(in >> std::ws, value);
  if (word == "name") {
    argument.name = value;
  } else if (word == "input") {
    argument.input = value;
  } else if (word == "expected") {
    argument.expected = value;
  } else if (word == "store") {
    argument.store = value;
  } else {
    throw std::runtime_error("job: unknown word " + word);
  }
}

}  // namespace

std::string write_job(const Job& job) {
  std::ostringstream out;
  out.precision(std::numeric_limits<double>::max_digits10);
  out << "task " << task_names[static_cast<int>(job.task)] << '\n'
      << "result " << job.result << '\n'
      << "grid " << job.grid[0] << ' ' << job.grid[1] << ' ' << job.grid[2] << '\n'
      << "block " << job.block[0] << ' ' << job.block[1] << ' ' << job.block[2] << '\n'
      << "launch " << job.shared_bytes << ' ' << job.workers << ' ' << job.strict << ' ' << job.seed
      << '\n'
      << "sampling " << job.sampling.minimum_seconds << ' ' << job.sampling.minimum_samples << ' '
      << job.sampling.maximum_samples << ' ' << job.sampling.relative_noise << '\n';
  for (const JobArgument& argument : job.arguments) {
    write_argument(out, argument);
  }
  return out.str();
}

Job read_job(const std::string& text) {
  Job job;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream in(line);
    std::string word;
    in >> word;
    if (word == "scalar") {
      job.arguments.push_back(read_scalar(in));
    } else if (word == "buffer") {
      job.arguments.push_back(read_buffer(in));
    } else if (!read_setting(job, word, in)) {
      if (job.arguments.empty()) {
        throw std::runtime_error("job: unknown word " + word);
      }
      read_detail(job.arguments.back(), word, in);
    }
  }
  return job;
}

}  // namespace rooftune::host_child
