// Recordings: tuning spaces that were measured before, by rooftune or by other tuners.
// In: a file in one of the known formats, plain or gzip. Out: a Recording, or an InputError that
// says what is damaged and where.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tuner/compile/compiler.hpp"
#include "tuner/core/outcome.hpp"
#include "tuner/core/value.hpp"
#include "tuner/roofline/roofline.hpp"
#include "tuner/spec/instance.hpp"

namespace rooftune {

/// One configuration as it was recorded. Seconds and bytes.
struct RecordedPoint {
  NamedValues parameters;
  Outcome outcome = Outcome::ok;
  std::string reason;           ///< the recorder's own word where the outcome is not ok
  double seconds = 0;           ///< meaningful where outcome is ok
  std::vector<double> samples;  ///< the single runs, where they were kept
  double compile_seconds = 0;   ///< 0 where it was not recorded
  std::optional<Resources> resources;
  std::optional<Launch> launch;
  Counters counters;
};

struct Recording {
  std::filesystem::path file;
  std::string format;  ///< "kernel-tuner", "t4", "ktt", "rooftune"
  std::string device_name;
  std::optional<DeviceProfile> device;  ///< where the file holds the roofs, as rooftune's own do
  std::string kernel_name;
  std::vector<std::int64_t> problem_size;  ///< as the recorder named it; may be empty
  /// Names in the recording's order, with the values that occur, ascending where they are numbers.
  std::vector<Parameter> parameters;
  std::vector<RecordedPoint> points;
  /// What had to be mended or left out, in words: "the file ends in the middle of an entry: ...".
  std::vector<std::string> remarks;

  /// nullptr where no point succeeded.
  const RecordedPoint* best() const;
};

/// Recognises the format by the file's content. An interrupted Kernel Tuner cache (without its
/// closing brackets, or torn in its last entry) is read as far as it is whole, with a remark.
/// Throws InputError for a file that cannot be read, is none of the known formats, holds no
/// configuration, or contradicts itself (one configuration twice).
Recording read_recording(const std::filesystem::path& file);

/// What every reader ends with: the parameters and their values from the points. Throws InputError
/// where there is no point, points have different parameters, or one is there twice.
void finish_recording(Recording& recording);

/// A T1 input: the problem's description that goes with T4 results.
struct T1Input {
  std::string kernel_name;
  std::vector<Parameter> parameters;
  std::vector<std::string> conditions;  ///< expressions, as written
  std::vector<std::int64_t> problem_size;
  std::vector<std::string> block;  ///< expressions, x first; empty where the file does not say
  /// By dimension the divisors of the problem's size that give the blocks. (GlobalSize is not read:
  /// published files hold sizes that do not fit what was recorded.)
  std::vector<std::vector<std::string>> grid_divisors;
};
/// Throws InputError. `Parameters` lists of conditions are ignored: files omit names in them.
T1Input read_t1(const std::filesystem::path& file);

/// Whether the file is a T1 input rather than a recording.
bool is_t1(const std::filesystem::path& file);

}  // namespace rooftune
