// A variant of a kernel, from its CUDA source to an executable: preprocess, rewrite, compile and
// link with the prebuilt runtime. The runtime's headers are precompiled once for each build.
#pragma once

#include <filesystem>
#include <future>
#include <map>
#include <mutex>
#include <string>
#include <variant>
#include <vector>

#include "tuner/core/outcome.hpp"
#include "tuner/device/host/host_device.hpp"
#include "tuner/device/host/process.hpp"
#include "tuner/spec/instance.hpp"

namespace rooftune::host {

/// What a variant is made of: the tuned kernel of an instance, or its reference.
struct VariantRequest {
  std::filesystem::path source;
  NamedValues defines;
  std::vector<std::filesystem::path> include;
  std::vector<std::string> options;  ///< as for NVRTC; what concerns a GPU alone is left out
  std::string name_expression;
  std::vector<Argument> arguments;
};

struct Variant {
  std::filesystem::path program;
  std::string log;  ///< warnings
  double seconds = 0;
};

class HostCompiler {
 public:
  /// `folder` takes the executables. Throws InputError where there is no usable g++.
  HostCompiler(HostBuild build, std::filesystem::path folder);

  /// Thread-safe. A variant that does not compile is a Failure; what no configuration can mend (a
  /// missing header, a kernel that the source does not have, arguments that do not fit the
  /// kernel's, CUDA that the host cannot do in a source without #define parameters) is an
  /// InputError.
  std::variant<Variant, Failure> build(const VariantRequest& request);

  /// All that decides what the request's kernel computes, as text: requests with equal texts, names
  /// and arguments give equal results. Throws as build() does; empty where the source is a Failure.
  std::string meaning(const VariantRequest& request);

  /// "g++ 12.2.0".
  const std::string& description() const { return description_; }

 private:
  std::vector<std::string> flags(const VariantRequest& request) const;
  std::filesystem::path precompiled_header(const std::vector<std::string>& flags);
  std::filesystem::path build_precompiled_header(const std::vector<std::string>& flags);
  struct Source {
    std::string preprocessed;
    std::string plain_cpp;
  };
  Source source(const VariantRequest& request);
  Source make_source(const VariantRequest& request);
  std::string preprocess(const VariantRequest& request);
  ProcessResult compile(std::vector<std::string> arguments) const;

  HostBuild build_;
  std::filesystem::path folder_;
  std::filesystem::path runtime_;
  std::vector<std::string> compiler_;
  std::string description_;
  std::mutex mutex_;
  std::map<std::string, std::shared_future<std::filesystem::path>> headers_;  ///< by flags
  std::map<std::string, std::shared_future<Source>> sources_;  ///< by what they depend on
};

}  // namespace rooftune::host
