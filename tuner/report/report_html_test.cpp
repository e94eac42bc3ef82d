#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tuner/report/report.hpp"
#include "tuner/report/report_data.hpp"
#include "tuner/report/sample_run.hpp"

namespace rooftune {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::sample_run;

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

TEST(ReportHtml, StringsFromSpecsAndDevicesNeverBecomeMarkup) {
  const std::string page = report_html(sample_run(40));
  EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(page, Not(HasSubstr("<img src=x")));
  // The data's element and the script's: nothing in the data ended one early or opened another.
  EXPECT_EQ(count_of(page, "</script>"), 2U);
}

TEST(ReportHtml, LeavesNoPlaceholderAndAsksNoNetwork) {
  const std::string page = report_html(sample_run(3));
  for (const char* placeholder :
       {"@TITLE@", "@STYLE@", "@STATIC_PLOT@", "@OCCUPANCY@", "@DATA@", "@SCRIPT@"}) {
    EXPECT_THAT(page, Not(HasSubstr(placeholder)));
  }
  EXPECT_THAT(page, Not(HasSubstr("src=\"http")));
  EXPECT_THAT(page, Not(HasSubstr("@import")));
}

TEST(ReportHtml, ShowsTheOccupancyOfAGpusBest) {
  Results results = sample_run(20);
  results.device.kind = DeviceKind::host;
  EXPECT_THAT(report_html(results), Not(HasSubstr("<figcaption>")));
  results.device.kind = DeviceKind::cuda;
  results.device.cc = {8, 6};
  for (Record& record : results.records) {
    record.resources = Resources{72, 0, 0, 0, 8192, 0, 0};
  }
  const std::string page = report_html(results);
  EXPECT_EQ(count_of(page, "<figure class=\"occupancy\">"), 2U);
  EXPECT_EQ(count_of(page, "class=\"current\""), 2U);
  EXPECT_THAT(page, HasSubstr("compute capability 8.6, 16 x 16 x 1 threads, 72 registers"));
  results.device.cc = {3, 5};  // not in the table
  EXPECT_THAT(report_html(results), Not(HasSubstr("<figcaption>")));
}

TEST(ReportHtml, FiveThousandConfigurationsStayUnderThreeMegabytes) {
  EXPECT_LT(report_html(sample_run(5000)).size(), 3'000'000U);
}

TEST(ReportData, HoldsEveryRecordByChoice) {
  const Results results = sample_run(40);
  const auto data = nlohmann::json::parse(report_data(results));
  ASSERT_EQ(data["records"].size(), 40U);
  const Record& record = results.records[7];
  for (std::size_t i = 0; i < results.parameters.size(); ++i) {
    const auto choice = data["records"][7]["values"][i].get<std::size_t>();
    EXPECT_EQ(results.parameters[i].values[choice], record.parameters[i].value);
  }
  EXPECT_EQ(data["best"], results.best()->number);
}

TEST(ReportData, AnEmptyRunIsStillADocument) {
  Results results = sample_run(0);
  results.device.roofs.clear();
  const auto data = nlohmann::json::parse(report_data(results));
  EXPECT_EQ(data["best"], 0);
  EXPECT_TRUE(data["records"].empty());
}

}  // namespace
}  // namespace rooftune
