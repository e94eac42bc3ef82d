// Device files: YAML to DeviceProfile and back. Keys: docs/roofline.md.
#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "tuner/core/error.hpp"
#include "tuner/roofline/profile.hpp"

namespace rooftune {
namespace {

constexpr double mebi = 1024.0 * 1024.0;
constexpr double gibi = 1024.0 * mebi;

/// The text and the name of a device file, for messages with a place.
class Source {
 public:
  Source(const std::string& text, std::string file) : file_(std::move(file)) {
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
      lines_.push_back(line);
    }
  }

  SourceSpot spot(const YAML::Mark& mark, std::size_t length = 1) const {
    SourceSpot spot;
    spot.file = file_;
    spot.length = static_cast<int>(length);
    if (mark.line >= 0) {
      spot.line = mark.line + 1;
      spot.column = mark.column + 1;
      const auto index = static_cast<std::size_t>(mark.line);
      spot.line_text = index < lines_.size() ? lines_[index] : "";
    }
    return spot;
  }

  [[noreturn]] void fail(const YAML::Node& at, const std::string& problem,
                         const std::string& hint) const {
    throw InputError(spot(at.Mark(), at.IsScalar() ? at.Scalar().size() : 1), problem, hint);
  }

 private:
  std::string file_;
  std::vector<std::string> lines_;
};

/// A mapping whose keys are all known and appear once.
class Fields {
 public:
  Fields(const Source& source, const YAML::Node& node, std::string what,
         const std::vector<std::string>& known)
      : source_(source), node_(node), what_(std::move(what)) {
    if (!node_.IsMap()) {
      source_.fail(node_, what_ + " must be a mapping", "write KEY: VALUE lines");
    }
    std::vector<std::string> seen;
    for (const auto& entry : node_) {
      const std::string& key = entry.first.Scalar();
      if (std::find(known.begin(), known.end(), key) == known.end()) {
        source_.fail(entry.first, fmt::format("unknown key \"{}\" in {}", key, what_),
                     suggest(key, known));
      }
      if (std::find(seen.begin(), seen.end(), key) != seen.end()) {
        source_.fail(entry.first, fmt::format("\"{}\" is given twice in {}", key, what_),
                     "remove one of the two");
      }
      seen.push_back(key);
    }
  }

  YAML::Node find(const std::string& key) const {
    const YAML::Node& constant = node_;  // operator[] on a mutable node would add the key
    return constant[key];
  }
  bool has(const std::string& key) const { return find(key).IsDefined(); }

  std::string text(const std::string& key) const {
    const YAML::Node node = find(key);
    if (!node.IsDefined()) {
      return "";
    }
    if (!node.IsScalar()) {
      source_.fail(node, fmt::format("\"{}\" must be a text", key), "write one line of text");
    }
    return node.Scalar();
  }

  std::string required_text(const std::string& key) const {
    require(key);
    return text(key);
  }

  /// A number above zero; 0 where the key is absent.
  double number(const std::string& key, double minimum = 0) const {
    const YAML::Node node = find(key);
    if (!node.IsDefined()) {
      return 0;
    }
    double value = 0;
    const bool is_number = node.IsScalar() && YAML::convert<double>::decode(node, value);
    if (!is_number || !std::isfinite(value) || value < minimum || (value == 0 && key != "spread")) {
      source_.fail(node, fmt::format("\"{}\" must be a number above zero", key),
                   "in base units, without a unit: 19.5e12");
    }
    return value;
  }

  double required_number(const std::string& key) const {
    require(key);
    return number(key);
  }

  void require(const std::string& key) const {
    if (!has(key)) {
      source_.fail(node_, fmt::format("{} lacks \"{}\"", what_, key),
                   fmt::format("add a line `{}: ...`", key));
    }
  }

 private:
  const Source& source_;
  YAML::Node node_;
  std::string what_;
};

/// "dram", "l2.read": a level of the spec, the host's cache between L1 and the last, or one way of
/// using it.
const std::vector<std::string>& bandwidth_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> result;
    for (const char* level : {"dram", "l2", "l1", "shared", "core_l2"}) {
      result.emplace_back(level);
      for (const char* use : {"read", "triad", "copy"}) {
        result.push_back(fmt::format("{}.{}", level, use));
      }
    }
    return result;
  }();
  return names;
}

/// "fp32", "fp16.tensor", and "fp16.tensor.mma_sync": one way of using it.
const std::vector<std::string>& compute_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> result;
    for (int i = 0; i <= static_cast<int>(Precision::int8); ++i) {
      for (const bool tensor : {false, true}) {
        result.push_back(to_string(ComputeUnit{static_cast<Precision>(i), tensor}));
      }
      result.push_back(result.back() + ".mma_sync");
    }
    return result;
  }();
  return names;
}

/// What every roof of a file is read with.
struct RoofReader {
  const Source& source;
  DeviceProfile& profile;
  double boost_hz;

  void read(RoofKind kind, const std::string& name, const YAML::Node& node) const {
    const Fields fields(
        source, node, fmt::format("the roof \"{}\"", name),
        {"data_sheet", "per_clock", "origin", "measured", "spread", "measured_origin"});
    const double rate = fields.number("per_clock");
    double sheet = fields.number("data_sheet");
    if (sheet == 0 && rate > 0) {
      sheet = rate * profile.multiprocessors * boost_hz;
      if (sheet == 0) {
        source.fail(node,
                    fmt::format("\"per_clock\" of {} needs multiprocessors and a clock", name),
                    "give `clock_mhz: {boost: ..., maximum: ...}`, or `data_sheet`");
      }
    }
    if (sheet > 0) {
      const std::string origin = fields.text("origin");
      profile.roofs.push_back({kind, name, sheet, RoofSource::data_sheet,
                               origin.empty() ? profile.source : origin, 0, rate});
    }
    if (const double measured = fields.number("measured"); measured > 0) {
      profile.roofs.push_back({kind, name, measured, RoofSource::measured,
                               fields.text("measured_origin"), fields.number("spread"), 0});
    } else if (sheet == 0) {
      source.fail(node, fmt::format("the roof \"{}\" has no value", name),
                  "give data_sheet, per_clock or measured");
    }
  }

  void read_section(RoofKind kind, const Fields& file, const std::string& section,
                    const std::vector<std::string>& names) const {
    const YAML::Node node = file.find(section);
    if (!node.IsDefined()) {
      return;
    }
    const Fields checked(source, node, section, names);
    for (const auto& entry : node) {
      read(kind, entry.first.Scalar(), entry.second);
    }
  }
};

void read_identity(const Source& source, const Fields& file, DeviceProfile& profile) {
  profile.name = file.required_text("name");
  const std::string kind = file.text("kind");
  if (!kind.empty() && kind != "cuda" && kind != "host") {
    source.fail(file.find("kind"), fmt::format("unknown kind \"{}\"", kind),
                suggest(kind, {"cuda", "host"}));
  }
  profile.kind = kind == "host" ? DeviceKind::host : DeviceKind::cuda;
  if (const YAML::Node match = file.find("match"); match.IsDefined()) {
    if (!match.IsSequence()) {
      source.fail(match, "\"match\" must be a list of name patterns", "write [\"NVIDIA L4\"]");
    }
    for (const auto& pattern : match) {
      if (!pattern.IsScalar()) {
        source.fail(pattern, "a name pattern must be a text", "write \"NVIDIA L4\"");
      }
      profile.match.push_back(pattern.Scalar());
    }
  }
  // A sparse peak under a dense kernel makes it look half as good as it is: say which it is.
  if (file.required_text("peaks") != "dense") {
    source.fail(file.find("peaks"), "peaks must be dense",
                "data sheets that print figures with 2:4 sparsity print twice the dense peak: "
                "halve them and write `peaks: dense`");
  }
  profile.source = file.required_text("source");
}

void read_cuda_limits(const Source& source, const Fields& file, DeviceProfile& profile) {
  const std::string text = file.required_text("compute_capability");
  const auto cc = compute_capability_from(text);
  if (!cc) {
    source.fail(file.find("compute_capability"),
                fmt::format("\"{}\" is not a compute capability", text), "write \"8.0\"");
  }
  profile.cc = *cc;
  file.require("clock_mhz");
}

/// Returns the boost clock that data-sheet figures assume, in Hz.
double read_clock(const Source& source, const Fields& file, DeviceProfile& profile) {
  if (!file.has("clock_mhz")) {
    return 0;
  }
  const Fields clock(source, file.find("clock_mhz"), "clock_mhz", {"boost", "maximum"});
  const double boost = clock.required_number("boost") * 1e6;
  profile.clock_hz = clock.required_number("maximum") * 1e6;
  if (profile.clock_hz < boost) {
    source.fail(file.find("clock_mhz"), "the maximum clock is below the boost clock",
                "maximum is the highest clock that the driver reports");
  }
  return boost;
}

DeviceProfile read_profile(const Source& source, const YAML::Node& root,
                           const std::filesystem::path& path) {
  const Fields file(
      source, root, "a device file",
      {"name", "kind", "match", "compute_capability", "multiprocessors", "clock_mhz", "memory_gib",
       "l2_mib", "peaks", "source", "compute", "bandwidth", "issue", "launch"});
  DeviceProfile profile;
  profile.id = path.stem().string();
  read_identity(source, file, profile);
  if (profile.kind == DeviceKind::cuda) {
    read_cuda_limits(source, file, profile);
  }
  const double boost_hz = read_clock(source, file, profile);
  profile.multiprocessors = static_cast<int>(file.required_number("multiprocessors"));
  profile.memory_bytes = static_cast<std::uint64_t>(file.number("memory_gib") * gibi);
  profile.l2_bytes = static_cast<std::uint64_t>(file.number("l2_mib") * mebi);
  const RoofReader reader{source, profile, boost_hz};
  reader.read_section(RoofKind::compute, file, "compute", compute_names());
  reader.read_section(RoofKind::bandwidth, file, "bandwidth", bandwidth_names());
  for (const auto& [key, kind] :
       {std::pair{"issue", RoofKind::issue}, std::pair{"launch", RoofKind::latency}}) {
    if (file.has(key)) {
      reader.read(kind, key, file.find(key));
    }
  }
  return profile;
}

void emit_roof(YAML::Emitter& out, const DeviceProfile& profile, RoofKind kind,
               const std::string& name) {
  // fmt's shortest text reads back to the same bits; the emitter's own would round.
  const auto number = [](double value) { return fmt::format("{}", value); };
  out << YAML::Key << name << YAML::Value << YAML::Flow << YAML::BeginMap;
  if (const Roof* sheet = profile.roof(kind, name, RoofSource::data_sheet)) {
    out << YAML::Key << "data_sheet" << YAML::Value << number(sheet->value);
    if (sheet->rate > 0) {
      out << YAML::Key << "per_clock" << YAML::Value << number(sheet->rate);
    }
    if (sheet->origin != profile.source) {
      out << YAML::Key << "origin" << YAML::Value << YAML::DoubleQuoted << sheet->origin;
    }
  }
  if (const Roof* measured = profile.roof(kind, name, RoofSource::measured)) {
    out << YAML::Key << "measured" << YAML::Value << number(measured->value);
    out << YAML::Key << "spread" << YAML::Value << number(measured->spread);
    out << YAML::Key << "measured_origin" << YAML::Value << YAML::DoubleQuoted << measured->origin;
  }
  out << YAML::EndMap;
}

void emit_section(YAML::Emitter& out, const DeviceProfile& profile, RoofKind kind,
                  const std::string& section) {
  std::vector<std::string> names;
  for (const Roof& roof : profile.roofs) {
    if (roof.kind == kind && std::find(names.begin(), names.end(), roof.name) == names.end()) {
      names.push_back(roof.name);
    }
  }
  if (names.empty()) {
    return;
  }
  out << YAML::Key << section << YAML::Value << YAML::BeginMap;
  for (const std::string& name : names) {
    emit_roof(out, profile, kind, name);
  }
  out << YAML::EndMap;
}

}  // namespace

DeviceProfile parse_device(const std::string& text, const std::filesystem::path& file) {
  const Source source(text, file.string());
  YAML::Node root;
  try {
    root = YAML::Load(text);
  } catch (const YAML::Exception& error) {
    throw InputError(source.spot(error.mark), "not YAML: " + error.msg,
                     "the keys of a device file are in docs/roofline.md");
  }
  return read_profile(source, root, file);
}

std::string device_yaml(const DeviceProfile& profile) {
  YAML::Emitter out;
  const auto pair = [&](const char* key, const auto& value) {
    out << YAML::Key << key << YAML::Value << value;
  };
  out << YAML::BeginMap << YAML::Key << "name" << YAML::Value << YAML::DoubleQuoted << profile.name;
  pair("kind", std::string(to_string(profile.kind)));
  if (!profile.match.empty()) {
    out << YAML::Key << "match" << YAML::Value << YAML::Flow << profile.match;
  }
  if (profile.kind == DeviceKind::cuda) {
    out << YAML::Key << "compute_capability" << YAML::Value << YAML::DoubleQuoted
        << to_string(profile.cc);
  }
  pair("multiprocessors", profile.multiprocessors);
  if (profile.clock_hz > 0) {
    // Every data-sheet value is written out, so the boost clock is not needed again.
    const std::string mhz = fmt::format("{}", profile.clock_hz / 1e6);
    pair("clock_mhz", std::map<std::string, std::string>{{"boost", mhz}, {"maximum", mhz}});
  }
  if (profile.memory_bytes > 0) {
    pair("memory_gib", fmt::format("{}", static_cast<double>(profile.memory_bytes) / gibi));
  }
  if (profile.l2_bytes > 0) {
    pair("l2_mib", fmt::format("{}", static_cast<double>(profile.l2_bytes) / mebi));
  }
  pair("peaks", "dense");
  out << YAML::Key << "source" << YAML::Value << YAML::DoubleQuoted << profile.source;
  emit_section(out, profile, RoofKind::compute, "compute");
  emit_section(out, profile, RoofKind::bandwidth, "bandwidth");
  for (const auto& [key, kind] :
       {std::pair{"issue", RoofKind::issue}, std::pair{"launch", RoofKind::latency}}) {
    if (profile.roof(kind, key) != nullptr) {
      emit_roof(out, profile, kind, key);
    }
  }
  out << YAML::EndMap;
  return std::string(out.c_str()) + "\n";
}

}  // namespace rooftune
