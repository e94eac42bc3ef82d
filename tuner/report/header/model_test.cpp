// What enters a header, and what becomes the default.
#include "tuner/report/header/model.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tuner/core/error.hpp"
#include "tuner/report/header/header_samples.hpp"

namespace rooftune::header {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::made_up_results;
using testing::MadeUp;
using testing::named_device;
using testing::small_spec;

/// "1@A M=8 N=8": parameter, device, size.
std::vector<std::string> lines(const Kernel& kernel) {
  std::vector<std::string> text;
  for (const Entry& entry : kernel.entries) {
    text.push_back(entry.measured.parameters()[0].value.to_string() + "@" +
                   entry.measured.results->device.name + " " +
                   to_string(entry.measured.at->problem));
  }
  return text;
}

NamedValues b(int value) {
  return {{"B", value}};
}

class HeaderModel : public ::testing::Test {
 protected:
  HeaderModel() {
    options_.warn = [this](const std::string& text) { warnings_.push_back(text); };
  }
  Results on(const std::string& device, const MadeUp& times) {
    return made_up_results(spec_, named_device(device, 8, 0), times);
  }
  Kernel kernel(const std::vector<Results>& results) {
    results_ = results;
    return kernels_of(results_, options_).at(0);
  }
  std::string refusal(const std::vector<Results>& results) {
    try {
      kernel(results);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  }
  std::string default_of(const Kernel& it) {
    return to_string(it.defaults.at(0).entry.measured.parameters());
  }

  Spec spec_ = small_spec({{8, 8}, {32, 8}});
  HeaderOptions options_;
  std::vector<std::string> warnings_;
  std::vector<Results> results_;
};

TEST_F(HeaderModel, EachDeviceAndSizeHasItsFastest) {
  const Kernel it = kernel({on("B", {{b(1), {2, 1}}, {b(2), {1, 2}}}), on("A", {{b(1), {1, 1}}})});
  EXPECT_THAT(lines(it), ElementsAre("1@A M=8 N=8", "1@A M=32 N=8", "2@B M=8 N=8", "1@B M=32 N=8"));
}

TEST_F(HeaderModel, TheBestOfTheSameKeyWinsInAnyOrder) {
  const Results slow = on("A", {{b(1), {3, 3}}});
  const Results fast = on("A", {{b(2), {2, 4}}});
  EXPECT_THAT(lines(kernel({slow, fast})), ElementsAre("2@A M=8 N=8", "1@A M=32 N=8"));
  EXPECT_THAT(lines(kernel({fast, slow})), ElementsAre("2@A M=8 N=8", "1@A M=32 N=8"));
}

TEST_F(HeaderModel, FinalsRankAFilesOneSize) {
  spec_ = small_spec({{8, 8}});
  Results it = on("A", {{b(1), {1}}, {b(2), {1.1}}, {b(4), {1.05}}});
  it.records[0].finals = {1.3, 1.3, 1.3};  // the least of many noisy times was too good to be true
  it.records[1].finals = {1.2, 1.2, 1.2};
  EXPECT_THAT(lines(kernel({it})), ElementsAre("2@A M=8 N=8"));
}

TEST_F(HeaderModel, FailedUnverifiedAndForeignOnesNeverEnter) {
  Results it = on("A", {{b(1), {1, 1}}, {b(2), {2, 2}}, {b(4), {3, 3}}, {b(5), {4, 4}}});
  it.records[0].outcome = Outcome::wrong_result;
  it.records[1].problems[0].measurement->verified = false;
  it.records[2].in_space = false;
  EXPECT_THAT(lines(kernel({it})), ElementsAre("5@A M=8 N=8", "2@A M=32 N=8"));
}

TEST_F(HeaderModel, HostResultsEnterOnlyWhenAskedFor) {
  Results host = on("CPU", {{b(1), {1, 1}}});
  host.device.kind = DeviceKind::host;
  EXPECT_THAT(refusal({host}), HasSubstr("--include-host lets it enter"));
  EXPECT_THAT(lines(kernel({host, on("A", {{b(2), {1, 1}}})})),
              ElementsAre("2@A M=8 N=8", "2@A M=32 N=8"));
  EXPECT_THAT(warnings_, ElementsAre(AllOf(HasSubstr("left out"), HasSubstr("k on CPU"))));
  options_.include_host = true;
  EXPECT_THAT(lines(kernel({host})), ElementsAre("1@CPU M=8 N=8", "1@CPU M=32 N=8"));
}

TEST_F(HeaderModel, DifferentSpecsAreRefusedWithBothHashes) {
  Results other = on("B", {{b(1), {1, 1}}});
  other.spec_hash = "fedcba9876543210";
  EXPECT_THAT(refusal({on("A", {{b(1), {1, 1}}}), other}),
              AllOf(HasSubstr("k on A has the spec hash 0123456789abcdef"),
                    HasSubstr("k on B has fedcba9876543210")));
}

// C118: the smallest value of each parameter over all devices is a mixture that nobody measured.
TEST_F(HeaderModel, TheDefaultIsOneMeasuredConfigurationThatLosesLeastAtWorst) {
  const Kernel it = kernel({on("A", {{b(1), {1, 1}}, {b(2), {9, 9}}, {b(4), {1.5, 1.6}}}),
                            on("B", {{b(1), {9, 9}}, {b(2), {1, 1}}, {b(4), {1.2, 1.2}}})});
  EXPECT_EQ(default_of(it), "B=4") << "1.6x at worst; the winners lose 9x elsewhere";
  EXPECT_FALSE(it.defaults[0].same_as);
  EXPECT_DOUBLE_EQ(it.defaults[0].losses.at(1).factor, 1.6);
  EXPECT_EQ(it.defaults[0].entry.measured.results->device.name, "A") << "where it loses most";
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(HeaderModel, ADefaultIsPreferredWhoseRulesHoldAtEverySize) {
  const Kernel it = kernel({on("A", {{b(3), {1, 1}}, {b(4), {2, 2}}})});
  EXPECT_EQ(default_of(it), "B=4") << "8 is no multiple of 3";
}

// C122: what will happen at run time is said.
TEST_F(HeaderModel, WithoutACommonConfigurationTheDefaultSaysWhereItWasNotMeasured) {
  const Kernel it = kernel({on("A", {{b(1), {1, 1}}}), on("B", {{b(2), {1, 1}}})});
  EXPECT_EQ(default_of(it), "B=1");
  EXPECT_THAT(warnings_,
              ElementsAre(AllOf(HasSubstr("no configuration was measured on every device"),
                                HasSubstr("a device that is not in the header gets B=1"),
                                HasSubstr("measured at 2 of 4, not on B at M=8 N=8"))));
}

TEST_F(HeaderModel, WhatFailedOnADeviceIsNoDefault) {
  Results a = on("A", {{b(1), {1, 1}}, {b(2), {5, 5}}});
  Results other = on("B", {{b(2), {1, 1}}, {b(1), {2, 2}}});
  other.records[1].outcome = Outcome::cannot_launch;
  EXPECT_EQ(default_of(kernel({a, other})), "B=2");
  a.records[1].outcome = Outcome::crashed;
  EXPECT_THAT(refusal({a, other}), HasSubstr("each one failed on some device"));
}

TEST_F(HeaderModel, TheNextBestTakesThePlaceOfOneThatIsRefused) {
  options_.objection = [](const Results&, const Record& record) {
    return record.parameters == b(1) ? "wrong_result at M=32 N=8" : "";
  };
  const Kernel it = kernel({on("A", {{b(1), {1, 1}}, {b(2), {2, 2}}})});
  EXPECT_THAT(lines(it), ElementsAre("2@A M=8 N=8", "2@A M=32 N=8"));
  EXPECT_THAT(warnings_.at(0),
              HasSubstr("k: left out: B=1 on A at M=8 N=8: wrong_result at M=32 N=8"));
  EXPECT_THAT(refusal({on("A", {{b(1), {1, 1}}})}), HasSubstr("no configuration is left"));
}

TEST_F(HeaderModel, WhatAnyRunKnowsToBeWrongEntersNowhere) {
  Results other = on("B", {{b(1), {1, 1}}, {b(2), {1, 1}}});
  other.records[0].outcome = Outcome::wrong_result;
  EXPECT_THAT(lines(kernel({on("A", {{b(1), {1, 1}}, {b(2), {2, 2}}}), other})),
              ElementsAre("2@A M=8 N=8", "2@A M=32 N=8", "2@B M=8 N=8", "2@B M=32 N=8"));
  EXPECT_THAT(warnings_.at(0), HasSubstr("left out: B=1 on A at M=8 N=8: its result is wrong"));
}

TEST_F(HeaderModel, ArgumentTypesPartTheTable) {
  results_ = {on("A", {{b(1), {1, 1}}, {b(2), {2, 2}}, {b(4), {3, 3}}})};
  const auto types = [](const Candidate& it) {
    return it.parameters() == b(1) ? std::string("half") : std::string("float");
  };
  const Kernel it = kernels_of(results_, options_, types).at(0);
  EXPECT_THAT(lines(it), ElementsAre("1@A M=8 N=8", "2@A M=8 N=8", "1@A M=32 N=8", "2@A M=32 N=8"));
  EXPECT_THAT(it.types, ElementsAre("float", "half"));
  ASSERT_EQ(it.defaults.size(), 2U);
  EXPECT_EQ(it.defaults[0].entry.measured.parameters(), b(2));
  EXPECT_EQ(it.defaults[1].entry.measured.parameters(), b(1));
}

}  // namespace
}  // namespace rooftune::header
