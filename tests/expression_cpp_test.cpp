// What a generated header computes is what the spec's language computes: random expressions, as
// C++, with the header's own helpers, by the system's compiler and without a warning.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "tuner/core/error.hpp"
#include "tuner/report/header/support_text.hpp"
#include "tuner/spec/expression.hpp"
#include "tuner/spec/random_trees.hpp"
#include "tuner/spec/test_files.hpp"

namespace rooftune {
namespace {

constexpr const char* beginning = R"(
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string_view>
#include <type_traits>
namespace check {
int wrong = 0;
void equal(const char* text, double got, double expected) {
  if (std::fabs(got - expected) > 1e-9 * std::fabs(expected) + 1e-12) {
    std::printf("%s is %.17g, and should be %.17g\n", text, got, expected);
    ++wrong;
  }
}
)";

/// A function of a few checks; 0 and negative powers would be no constant expressions.
std::string checks(int count, const Scope& scope) {
  RandomTrees trees(
      11, {ast::name("a"), ast::name("b"), ast::name("c"), ast::constant(1), ast::constant(3),
           ast::constant(-4), ast::constant(2.5), ast::constant(true), ast::constant(100000)});
  std::string text;
  for (int i = 0; i < count;) {
    const Expression expression = Expression::parse(ast::print(*trees.any(1 + i % 4)));
    const std::string printed = expression.to_string();
    try {
      const double expected = expression.evaluate(scope).as_real();
      // Beyond 10^15 a double does not tell integers apart; powers are written for sizes only.
      if (std::fabs(expected) > 1e15 || printed.find("**") != std::string::npos) {
        continue;
      }
      text += fmt::format("  equal(\"{}\", static_cast<double>({}), {:.17g});\n", printed,
                          expression.to_cpp(), expected);
      ++i;
    } catch (const ValueError&) {
      continue;
    }
  }
  return text;
}

TEST(ExpressionAsCpp, ComputesTheSameWithoutAWarning) {
  const TestFolder folder;
  Scope scope;
  scope.set({{"a", 6}, {"b", -7}, {"c", 0.5}});
  const std::string source = fmt::format(
      "{}{}void all() {{\n  [[maybe_unused]] const std::int64_t a = 6;\n"
      "  [[maybe_unused]] const std::int64_t b = -7;\n  [[maybe_unused]] const double c = 0.5;\n{}"
      "}}\n}}\nint main() {{\n  check::all();\n  return check::wrong == 0 ? 0 : 1;\n}}\n",
      beginning, header_helpers, checks(200, scope));
  const std::string file = folder.write("check.cpp", source).string();
  const std::string program = (folder.path() / "check").string();
  const std::string log = (folder.path() / "log").string();
  const std::string command = fmt::format(
      "(g++ -std=c++17 -Wall -Wextra -Wno-div-by-zero -Werror {0} -o {1} && {1}) > {2} 2>&1", file,
      program, log);
  std::ostringstream said;
  const int status = std::system(command.c_str());
  said << std::ifstream(log).rdbuf();
  EXPECT_EQ(status, 0) << said.str();
}

}  // namespace
}  // namespace rooftune
