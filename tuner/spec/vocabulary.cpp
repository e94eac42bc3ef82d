// The closed vocabularies of the spec, one table each.
#include <algorithm>
#include <array>
#include <utility>

#include "tuner/spec/spec.hpp"

namespace rooftune {
namespace {

template <typename Word>
using Row = std::pair<Word, std::string_view>;

constexpr std::array roles = {
    Row<Role>{Role::tile, "tile"},           Row<Role>{Role::block, "block"},
    Row<Role>{Role::unroll, "unroll"},       Row<Role>{Role::vector, "vector"},
    Row<Role>{Role::stages, "stages"},       Row<Role>{Role::launch_bounds, "launch_bounds"},
    Row<Role>{Role::precision, "precision"}, Row<Role>{Role::padding, "padding"},
    Row<Role>{Role::layout, "layout"},       Row<Role>{Role::cache, "cache"},
    Row<Role>{Role::fusion, "fusion"},       Row<Role>{Role::split, "split"},
    Row<Role>{Role::algorithm, "algorithm"}, Row<Role>{Role::other, "other"},
};
constexpr std::array levels = {
    Row<Level>{Level::dram, "dram"},
    Row<Level>{Level::l2, "l2"},
    Row<Level>{Level::l1, "l1"},
    Row<Level>{Level::shared, "shared"},
};
constexpr std::array precisions = {
    Row<Precision>{Precision::fp64, "fp64"}, Row<Precision>{Precision::fp32, "fp32"},
    Row<Precision>{Precision::fp16, "fp16"}, Row<Precision>{Precision::bf16, "bf16"},
    Row<Precision>{Precision::tf32, "tf32"}, Row<Precision>{Precision::fp8, "fp8"},
    Row<Precision>{Precision::int8, "int8"},
};
constexpr std::array accesses = {
    Row<Access>{Access::in, "in"},
    Row<Access>{Access::out, "out"},
    Row<Access>{Access::inout, "inout"},
};
constexpr std::string_view tensor_suffix = ".tensor";

template <typename Word, std::size_t N>
std::string_view name_of(const std::array<Row<Word>, N>& table, Word word) {
  const auto found =
      std::find_if(table.begin(), table.end(), [&](const auto& row) { return row.first == word; });
  return found->second;
}

template <typename Word, std::size_t N>
std::optional<Word> word_of(const std::array<Row<Word>, N>& table, std::string_view name) {
  const auto found =
      std::find_if(table.begin(), table.end(), [&](const auto& row) { return row.second == name; });
  return found == table.end() ? std::nullopt : std::optional(found->first);
}

}  // namespace

std::string_view to_string(Role role) {
  return name_of(roles, role);
}
std::string_view to_string(Level level) {
  return name_of(levels, level);
}
std::string_view to_string(Precision precision) {
  return name_of(precisions, precision);
}
std::string_view to_string(Objective objective) {
  return objective == Objective::energy ? "energy" : "time";
}

std::string_view to_string(Access access) {
  return name_of(accesses, access);
}
std::optional<Role> role_from(std::string_view name) {
  return word_of(roles, name);
}
std::optional<Level> level_from(std::string_view name) {
  return word_of(levels, name);
}
std::optional<Precision> precision_from(std::string_view name) {
  return word_of(precisions, name);
}
std::optional<Access> access_from(std::string_view name) {
  return word_of(accesses, name);
}

std::string to_string(ComputeUnit unit) {
  std::string text(to_string(unit.precision));
  return unit.tensor ? text.append(tensor_suffix) : text;
}

std::optional<ComputeUnit> compute_unit_from(std::string_view name) {
  ComputeUnit unit;
  unit.tensor = name.ends_with(tensor_suffix);
  if (unit.tensor) {
    name.remove_suffix(tensor_suffix.size());
  }
  const auto precision = precision_from(name);
  if (!precision) {
    return std::nullopt;
  }
  unit.precision = *precision;
  return unit;
}

}  // namespace rooftune
