// What stands behind results of earlier runs: their specs, and the proof that a configuration is
// right on the device at hand.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tuner/cli/command.hpp"
#include "tuner/session/results.hpp"

namespace rooftune::cli {

/// The specs of results: from files that are given, else from where they were when tuning.
class SpecsOfResults {
 public:
  explicit SpecsOfResults(std::vector<std::string> files) : files_(std::move(files)) {}
  /// Throws InputError where the spec cannot be read any more, and where it or the kernel's source
  /// changed since (with both hashes). The reference stays.
  const Spec& of(const Results& results);

 private:
  Spec load(const Results& results) const;

  std::vector<std::string> files_;
  std::map<std::string, Spec> by_hash_;
};

/// Runs configurations at every size that the results of their kernel have.
class HeaderProof {
 public:
  /// `problems`: more sizes, M=512,N=512. Keeps references to the specs and the streams.
  HeaderProof(const std::vector<Results>& results, const std::vector<std::string>& problems,
              SpecsOfResults& specs, Io& io);
  ~HeaderProof();

  /// What went wrong, and at which size; empty where nothing did. What cannot be tried here is no
  /// objection: it is told as a warning, once a kernel.
  std::string objection(const Results& results, const Record& record);

 private:
  std::string prove(const Results& results, const Record& record);
  std::string prove_at(const Spec& spec, const NamedValues& parameters, const Problem& problem);
  /// Says that a kernel cannot be tried any further.
  void give_up(const std::string& kernel, const std::string& why);
  const Spec* spec_of(const Results& results);
  Device& device();

  std::vector<std::string> problems_;
  SpecsOfResults& specs_;
  Io& io_;
  std::map<std::string, std::vector<Problem>> sizes_;  ///< by kernel, small ones first
  std::set<std::string> given_up_;                     ///< kernels
  std::map<std::string, std::string> known_;           ///< objections, by kernel and configuration
  std::unique_ptr<Device> device_;
};

}  // namespace rooftune::cli
