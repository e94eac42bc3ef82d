// The parts of the spec reader. Internal to tuner/spec.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tuner/spec/spec.hpp"
#include "tuner/spec/yaml_tree.hpp"

namespace rooftune::reader {

/// What every part needs: the file, and the names that expressions may use.
struct Context {
  const yaml::Document& document;
  std::filesystem::path folder;            ///< absolute; relative paths count from it
  std::vector<std::string> names;          ///< parameters, constants, derived quantities
  const std::vector<Override>& overrides;  ///< already known to name constants or parameters
};

/// `what` names the place in messages: "rule 3", "launch.grid".
SpecExpression expression(const Context& context, const yaml::Node& node, const std::string& what);
SpecText text_template(const Context& context, const yaml::Node& node, const std::string& what);
/// One to three expressions; a single one may stand without a list.
std::vector<SpecExpression> dimensions(const Context& context, const yaml::Node& node,
                                       const std::string& what);
/// A finite number that lies in [least, most].
double number(const Context& context, const yaml::Node& node, const std::string& what, double least,
              double most);
std::filesystem::path existing_file(const Context& context, const yaml::Node& node,
                                    const std::string& what);
std::filesystem::path existing_folder(const Context& context, const yaml::Node& node,
                                      const std::string& what);
std::string read_file(const std::filesystem::path& file);

// The sections, in the order in which they are read.
NamedValues constants(const Context& context, const yaml::Node* node);
std::vector<Parameter> parameters(const Context& context, const yaml::Node& node,
                                  const NamedValues& constants);
std::vector<Problem> problems(const Context& context, const yaml::Node* node,
                              const NamedValues& constants);
/// Adds the derived names to context.names before it reads their expressions.
std::vector<Derived> derived(Context& context, const yaml::Node* node);
std::vector<Rule> rules(const Context& context, const yaml::Node* node);
NamedValues baseline(const Context& context, const yaml::Node* node,
                     const std::vector<Parameter>& parameters);
KernelSpec kernel(const Context& context, const yaml::Node& node,
                  const std::vector<Parameter>& parameters);
LaunchSpec launch(const Context& context, const yaml::Node* node);
std::vector<ArgumentSpec> arguments(const Context& context, const yaml::Node* node);
VerifySpec verify(const Context& context, const yaml::Node& node, const Spec& spec);
WorkSpec work(const Context& context, const yaml::Node* node);
ResourceSpec resources(const Context& context, const yaml::Node* node);
Objective objective(const Context& context, const yaml::Node* node);
StopSpec stop(const Context& context, const yaml::Node* node);

/// Refuses overrides that name neither a constant nor a parameter, or that change a number into a
/// text, and applies those of constants.
void apply_overrides(const std::vector<Override>& overrides, NamedValues& constants,
                     std::vector<Parameter>& parameters);
/// Checks the kernel's name and its number of arguments against its source, where that can be told.
void check_signature(const Context& context, const yaml::Node& kernel, const yaml::Node* arguments,
                     const Spec& spec);

}  // namespace rooftune::reader
