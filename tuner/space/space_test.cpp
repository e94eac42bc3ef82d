#include "tuner/space/space.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "tuner/core/error.hpp"
#include "tuner/space/diagram.hpp"

namespace rooftune {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Spec spec_of(const std::string& yaml) {
  return parse_spec(yaml, "test.yaml");
}
Space space_of(const std::string& yaml) {
  return Space(spec_of(yaml));
}

std::uint64_t removed_by_all(const Space& space) {
  return std::accumulate(
      space.removed().begin(), space.removed().end(), std::uint64_t{0},
      [](std::uint64_t sum, const RuleCount& rule) { return sum + rule.removed; });
}

std::vector<std::string> all_of(const Space& space) {
  std::vector<std::string> texts;
  for (std::uint64_t i = 0; i < space.size(); ++i) {
    texts.push_back(to_string(space.values(space.at(i))));
  }
  return texts;
}

std::string refusal(const std::string& yaml) {
  try {
    const Space space = space_of(yaml);
    return fmt::format("no error: {} configurations", space.size());
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST(Space, WithoutRulesIsTheProduct) {
  const Space space = space_of("parameters: {a: {values: [1, 2, 3]}, b: {values: [x, y]}}");
  EXPECT_EQ(space.raw_size(), 6U);
  EXPECT_EQ(space.size(), 6U);
  EXPECT_THAT(space.removed(), IsEmpty());
  EXPECT_THAT(all_of(space),
              ElementsAre("a=1 b=x", "a=1 b=y", "a=2 b=x", "a=2 b=y", "a=3 b=x", "a=3 b=y"));
}

// Kernel Tuner's own test of reals, texts and remainders.
TEST(Space, RemaindersOfReals) {
  const Space space = space_of(R"(
parameters: {x: {values: [1, 1.5, 2, 3]}, y: {values: [4, 5.5]}, z: {values: [s, t]}}
constraints: [y % x == 1]
)");
  EXPECT_EQ(space.raw_size(), 16U);
  EXPECT_THAT(all_of(space),
              ::testing::UnorderedElementsAre("x=1.5 y=4 z=s", "x=1.5 y=4 z=t", "x=1.5 y=5.5 z=s",
                                              "x=1.5 y=5.5 z=t", "x=3 y=4 z=s", "x=3 y=4 z=t"));
}

std::string range(int first, int last) {
  std::string text;
  for (int i = first; i <= last; ++i) {
    text += fmt::format("{}{}", text.empty() ? "" : ", ", i);
  }
  return text;
}

// Kernel Tuner's large space with a thin valid set: C(41, 3) of 42^4.
TEST(Space, ThinValidSetOfALargeSpace) {
  std::string yaml = "parameters:\n";
  for (const char* name : {"a", "b", "c", "d"}) {
    yaml += fmt::format("  {}: {{values: [{}]}}\n", name, range(0, 41));
  }
  const Space space =
      space_of(yaml + "constraints: [a + b + c + d == 42, a >= 1, b >= 1, c >= 1, d >= 1]\n");
  EXPECT_EQ(space.raw_size(), 3111696U);
  EXPECT_EQ(space.size(), 10660U);
  EXPECT_EQ(removed_by_all(space), 3111696U - 10660U);
}

// Validity is checked per configuration: no multiple of 64 is wanted where 16 does.
TEST(Space, ValidityIsDecidedPerConfiguration) {
  const Space space = space_of(R"(
constants: {m: 48}
parameters: {MWG: {values: [16, 32, 64]}}
constraints: [m % MWG == 0]
)");
  EXPECT_THAT(all_of(space), ElementsAre("MWG=16"));
}

TEST(Space, CountsWholeSubtreesForTheRuleThatRemovesThemFirst) {
  const Space space = space_of(R"(
parameters: {a: {values: [1, 2, 3, 4]}, b: {values: [1, 2]}, c: {values: [1, 2, 3]}}
constraints: [a * b <= 4, a != 3, b + c > 100 or c < 3]
)");
  ASSERT_EQ(space.removed().size(), 3U);
  EXPECT_EQ(space.removed()[0].rule, "a != 3");
  EXPECT_EQ(space.removed()[0].removed, 6U);
  EXPECT_EQ(space.removed()[1].rule, "a * b <= 4");
  EXPECT_EQ(space.removed()[1].removed, 3U);
  EXPECT_EQ(space.removed()[2].removed, 5U);
  EXPECT_EQ(space.size(), 10U);
}

TEST(Space, AnEmptySpaceTellsWhichRulesEmptiedIt) {
  const Space space = space_of(R"(
constants: {n: 7}
parameters: {a: {values: [2, 4]}, b: {values: [1, 2]}}
constraints: [n % a == 0, b > 0]
)");
  EXPECT_EQ(space.size(), 0U);
  EXPECT_EQ(space.removed()[0].rule, "n % a == 0");
  EXPECT_EQ(space.removed()[0].removed, 4U);
  std::mt19937_64 random(1);
  EXPECT_THAT(space.sample(3, random), IsEmpty());
  EXPECT_FALSE(space.contains({{0, 0}}));
}

TEST(Space, ARuleOverConstantsAloneRemovesAllOrNothing) {
  EXPECT_EQ(space_of("constants: {n: 7}\nparameters: {a: {values: [1, 2]}}\n"
                     "constraints: [n % 2 == 1]")
                .size(),
            2U);
  const Space empty =
      space_of("constants: {n: 7}\nparameters: {a: {values: [1, 2]}}\nconstraints: [n % 2 == 0]");
  EXPECT_EQ(empty.size(), 0U);
  EXPECT_EQ(empty.removed()[0].removed, 2U);
}

TEST(Space, RulesHoldForEveryProblem) {
  const Space space = space_of(R"(
constants: {n: 12}
problems: [{n: 12}, {n: 8}]
parameters: {a: {values: [1, 2, 3, 4, 6, 8]}}
constraints: [n % a == 0]
)");
  EXPECT_THAT(all_of(space), ElementsAre("a=1", "a=2", "a=4"));
}

TEST(Space, RulesSeeDerivedQuantities) {
  const Space space = space_of(R"(
constants: {unit: 4}
parameters: {a: {values: [8, 16, 32]}, b: {values: [2, 4]}}
derived: {bytes: threads * unit, threads: a // b}
constraints: ['bytes <= 16 and threads in [4, 8]']
)");
  EXPECT_THAT(all_of(space), ElementsAre("a=8 b=2", "a=16 b=4"));
}

TEST(Space, AFaultOfARuleNamesTheValues) {
  EXPECT_EQ(refusal("constants: {M: 512}\n"
                    "parameters: {TM: {values: [8, 0]}, U: {values: [1, 2]}}\n"
                    "constraints:\n"
                    "  - M // TM > U\n"),
            "test.yaml:4:5: M // TM: division by zero (M = 512, TM = 0)\n"
            "    4 |   - M // TM > U\n"
            "      |     ^~~~~~~~~~~");
}

TEST(Space, AFaultBehindAGuardIsNone) {
  const char* parameters = "parameters: {TM: {values: [8, 0, 64]}, U: {values: [1, 2]}}\n";
  EXPECT_EQ(refusal(std::string(parameters) + "constraints: [64 // TM > U, TM > 0]\n"),
            "no error: 2 configurations");
  EXPECT_EQ(refusal(std::string(parameters) + "constraints: [TM == 0 or 64 // TM > U]\n"),
            "no error: 4 configurations");
  EXPECT_EQ(refusal(std::string(parameters) + "constraints: [U == 1 or TM > 0 and 64 // TM > U]\n"),
            "no error: 4 configurations");
}

TEST(Space, FindsConfigurationsByValue) {
  const Space space = space_of(
      "parameters: {a: {values: [1, 2, 3]}, T: {values: [float, half]}}\nconstraints: [a > 1]");
  const auto found = space.find({{"T", "half"}, {"a", 2.0}});
  ASSERT_TRUE(found);
  EXPECT_THAT(found->choice, ElementsAre(1, 1));
  EXPECT_EQ(space.find({{"a", 2}}), std::nullopt);
  EXPECT_EQ(space.find({{"a", 9}, {"T", "half"}}), std::nullopt);
  EXPECT_FALSE(space.contains(*space.find({{"a", 1}, {"T", "half"}})));
}

// 10^12 raw configurations with rules that tie neighbours: counted, sampled, never written out.
TEST(Space, HugeSpacesAreCountedAndSampled) {
  std::string yaml = "parameters:\n";
  std::string rules = "constraints:\n";
  for (int i = 0; i < 12; ++i) {
    yaml += fmt::format("  p{}: {{values: [{}]}}\n", i, range(1, 10));
    if (i > 0) {
      rules += fmt::format("  - p{} <= p{}\n", i - 1, i);
    }
  }
  const Space space = space_of(yaml + rules);
  EXPECT_EQ(space.raw_size(), 1000000000000U);
  EXPECT_EQ(space.size(), 293930U);  // C(21, 12): non-decreasing sequences
  EXPECT_EQ(removed_by_all(space), 1000000000000U - 293930U);

  const Space loose = space_of(yaml + "constraints: [p0 % 2 == 0, p3 * p4 <= 20]\n");
  EXPECT_EQ(loose.size(),
            std::uint64_t{5} * 46U * 1000000000U);  // 46 pairs have a product up to 20
  std::mt19937_64 random(7);
  for (const Configuration& configuration : loose.sample(100, random)) {
    const NamedValues values = loose.values(configuration);
    EXPECT_EQ(find_value(values, "p0")->as_integer() % 2, 0);
    EXPECT_LE(find_value(values, "p3")->as_integer() * find_value(values, "p4")->as_integer(), 20);
    EXPECT_EQ(loose.at(*loose.index_of(configuration)), configuration);
  }
}

TEST(Space, SaysWhyItCannotCount) {
  std::string yaml = "parameters:\n";
  std::string sum = "0";
  for (int i = 0; i < 12; ++i) {
    yaml += fmt::format("  p{}: {{values: [{}]}}\n", i, range(1, 10));
    sum += fmt::format(" + 3 ** p{} * p{}", i, (i + 5) % 12);
  }
  const Spec spec = spec_of(yaml + "constraints: [(" + sum + ") % 97 == 0]\n");
  try {
    const Diagram diagram(spec, 10000);
    FAIL() << "counted " << diagram.size();
  } catch (const InputError& error) {
    EXPECT_STREQ(
        error.what(),
        "test: of 1,000,000,000,000 raw configurations, the valid ones cannot be counted in "
        "reasonable time: the rules tie too many parameters together\n"
        "  fix some parameters (--set NAME=VALUE), or add rules over fewer of them");
  }
  std::string free = "parameters:\n";
  for (int i = 0; i < 20; ++i) {
    free += fmt::format("  p{}: {{values: [{}]}}\n", i, range(1, 10));
  }
  EXPECT_EQ(refusal(free),
            "test: the space has more than 18,446,744,073,709,551,615 valid configurations\n"
            "  fix some parameters (--set NAME=VALUE)");
}

/// Whether a configuration is valid, straight from the rules.
bool valid(const Spec& spec, const NamedValues& values) {
  for (const Problem& problem : spec.problems) {
    Scope scope;
    scope.set(problem);
    scope.set(values);
    for (const Derived& derived : spec.derived) {
      scope.set(derived.name, derived.value.expression.evaluate(scope));
    }
    for (const Rule& rule : spec.rules) {
      if (!rule.condition.expression.evaluate(scope).truthy()) {
        return false;
      }
    }
  }
  return true;
}

class RandomSpace : public ::testing::TestWithParam<int> {
 protected:
  RandomSpace() : random_(GetParam()) {}

  std::size_t pick(std::size_t count) { return random_() % count; }

  std::string yaml() {
    constexpr std::array<const char*, 12> rules = {"a % b == 0",
                                                   "a * b * c <= 40",
                                                   "32 % (a * c) == d % 2",
                                                   "d in [1, 2] or t > 3",
                                                   "T == 'x' or a > 2",
                                                   "n % a == 0",
                                                   "ceil_div(n, b) > d",
                                                   "t <= 12",
                                                   "a + b + c + d == 10",
                                                   "a if T == 'x' else b > 2",
                                                   "not (c == 2 and d == 3)",
                                                   "b / a < 2.5"};
    std::string text =
        "constants: {n: 24}\nproblems: [{n: 24}, {n: 36}]\nderived: {t: a * s, s: b + 1}\n"
        "parameters:\n  T: {values: [x, y]}\n";
    for (const char* name : {"c", "a", "d", "b", "e"}) {
      text +=
          fmt::format("  {}: {{values: [{}]}}\n", name, range(1, 2 + static_cast<int>(pick(4))));
    }
    text += "constraints:\n  - e > 0\n";
    for (std::size_t i = 0; i <= pick(4); ++i) {
      text += fmt::format("  - {}\n", rules[pick(rules.size())]);
    }
    return text;
  }

  std::mt19937_64 random_;
};

TEST_P(RandomSpace, AgreesWithTryingEverything) {
  const std::string text = yaml();
  SCOPED_TRACE(text);
  const Spec spec = spec_of(text);
  const Space space(spec);
  std::set<Configuration> expected;
  Configuration all{std::vector<std::uint16_t>(spec.parameters.size(), 0)};
  for (bool more = true; more;) {
    if (valid(spec, space.values(all))) {
      expected.insert(all);
    }
    more = false;
    for (std::size_t i = 0; i < all.choice.size() && !more; ++i) {
      more = ++all.choice[i] < spec.parameters[i].values.size();
      all.choice[i] = more ? all.choice[i] : 0;
    }
  }
  ASSERT_EQ(space.size(), expected.size());
  EXPECT_EQ(space.size() + removed_by_all(space), space.raw_size());
  for (std::uint64_t i = 0; i < space.size(); ++i) {
    const Configuration configuration = space.at(i);
    ASSERT_EQ(expected.count(configuration), 1U);
    ASSERT_EQ(space.index_of(configuration), i);
    std::set<Configuration> near;
    for (const Configuration& other : expected) {
      int differences = 0;
      for (std::size_t p = 0; p < other.choice.size(); ++p) {
        differences += other.choice[p] != configuration.choice[p] ? 1 : 0;
      }
      if (differences == 1) {
        near.insert(other);
      }
    }
    const std::vector<Configuration> neighbours = space.neighbours(configuration);
    ASSERT_EQ(std::set<Configuration>(neighbours.begin(), neighbours.end()), near);
    ASSERT_EQ(neighbours.size(), near.size());
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomSpace, ::testing::Range(1, 61));

TEST(Space, SamplesAreDistinctReproducibleAndUniform) {
  const Space space = space_of(
      "parameters: {a: {values: [1, 2, 3, 4, 5]}, b: {values: [1, 2, 3]}}\n"
      "constraints: [a + b != 4]");
  ASSERT_EQ(space.size(), 12U);
  std::mt19937_64 random(3);
  std::mt19937_64 again(3);
  EXPECT_EQ(space.sample(5, random), space.sample(5, again));
  const std::vector<Configuration> all = space.sample(100, random);
  EXPECT_EQ(std::set<Configuration>(all.begin(), all.end()).size(), 12U);
  // Every configuration is in a third of samples of 4 of 12, and is first in a twelfth.
  std::vector<int> drawn(12);
  std::vector<int> first(12);
  constexpr int rounds = 6000;
  for (int round = 0; round < rounds; ++round) {
    const std::vector<Configuration> sample = space.sample(4, random);
    ++first[*space.index_of(sample.front())];
    for (const Configuration& configuration : sample) {
      ++drawn[*space.index_of(configuration)];
    }
  }
  for (int i = 0; i < 12; ++i) {
    EXPECT_NEAR(drawn[i], rounds / 3, 200) << i;
    EXPECT_NEAR(first[i], rounds / 12, 120) << i;
  }
}

TEST(ConfigurationHash, DependsOnEveryChoice) {
  const ConfigurationHash hash;
  EXPECT_EQ(hash({{1, 2}}), hash({{1, 2}}));
  EXPECT_NE(hash({{1, 2}}), hash({{2, 1}}));
  EXPECT_NE(hash({{1, 2}}), hash({{1, 258}}));
}

}  // namespace
}  // namespace rooftune
