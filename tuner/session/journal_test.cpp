#include "tuner/session/journal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "tuner/core/error.hpp"
#include "tuner/session/crash_note.hpp"
#include "tuner/session/fields.hpp"
#include "tuner/session/sample_results.hpp"
#include "tuner/session/temporary_folder.hpp"

namespace rooftune {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::TemporaryFolder;

JournalHeader header() {
  JournalHeader it;
  it.spec_hash = "abc";
  it.policy = "random";
  it.seed = 7;
  it.device = "host (CPU)";
  return it;
}

NamedValues parameters(int number) {
  return {{"BM", number}, {"T", "float"}};
}

Record record(int number) {
  testing::Sampler sample(static_cast<std::uint64_t>(number));
  Record it = testing::sample_record(sample, static_cast<std::uint64_t>(number));
  it.parameters = parameters(number);
  return it;
}

template <class Action>
std::string error_of(Action action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

void write_run(const std::filesystem::path& folder) {
  Journal journal(folder, header(), false);
  for (int i = 1; i <= 3; ++i) {
    journal.started(static_cast<std::uint64_t>(i), parameters(i));
    journal.answered(record(i));
  }
}

TEST(Journal, GivesBackWhatWasAnswered) {
  const TemporaryFolder folder;
  write_run(folder.path());
  const Journal journal(folder.path(), header(), true);
  ASSERT_EQ(journal.resumed().records.size(), 3U);
  for (int i = 1; i <= 3; ++i) {
    EXPECT_EQ(codec::encode(journal.resumed().records[static_cast<std::size_t>(i - 1)]),
              codec::encode(record(i)));
  }
  EXPECT_TRUE(journal.resumed().unanswered.empty());
}

TEST(Journal, IsWholeAfterACutAnywhere) {
  const TemporaryFolder folder;
  write_run(folder.path());
  const std::string whole = folder.read("journal.jsonl");
  const std::size_t first_line = whole.find('\n') + 1;
  for (std::size_t size = first_line; size <= whole.size(); size += 211) {
    folder.write("journal.jsonl", whole.substr(0, size));
    std::size_t records = 0;
    {
      Journal journal(folder.path(), header(), true);
      records = journal.resumed().records.size();
      journal.answered(record(9));
    }
    const auto contents = parse_journal(folder.read("journal.jsonl"), "j");
    ASSERT_EQ(contents.records.size(), records + 1) << size;
    EXPECT_EQ(to_string(contents.records.back().parameters), to_string(parameters(9)));
  }
}

TEST(Journal, ATornLastLineWithItsNewlineIsTolerated) {
  const TemporaryFolder folder;
  write_run(folder.path());
  const std::string whole = folder.read("journal.jsonl");
  const std::string torn = "{\"record\": {\"numb" + std::string(8, '\0') + "\n";
  const auto contents = parse_journal(whole + torn, "j");
  EXPECT_EQ(contents.records.size(), 3U);
  EXPECT_EQ(contents.whole_bytes, whole.size());
}

TEST(Journal, DamageElsewhereIsRefusedWithItsLine) {
  const TemporaryFolder folder;
  write_run(folder.path());
  const std::string whole = folder.read("journal.jsonl");
  const std::string torn = "garbage\n";
  const std::size_t second = whole.find('\n') + 1;
  std::string damaged = whole;
  damaged.insert(second, torn);
  EXPECT_THAT(error_of([&] { parse_journal(damaged, "j.jsonl"); }),
              HasSubstr("j.jsonl:2: not a line of JSON"));
  EXPECT_THAT(error_of([&] { parse_journal(whole + "{\"what\": 1}\n", "j"); }),
              HasSubstr("j:8: neither of record, started, died, finals"));
  EXPECT_THAT(error_of([&] { parse_journal("", "j"); }), HasSubstr("no whole line"));
  EXPECT_THAT(error_of([&] { parse_journal("{\"a\": 1}\n", "j"); }),
              HasSubstr("j:1: not a journal of rooftune"));
  EXPECT_THAT(error_of([&] { parse_journal("{\"rooftune_journal\": 2}\n", "j"); }),
              HasSubstr("journal version 2 is newer"));
}

TEST(Journal, AnotherRunIsNotResumed) {
  const TemporaryFolder folder;
  write_run(folder.path());
  const auto resume_with = [&](auto change) {
    JournalHeader other = header();
    change(other);
    return error_of([&] { Journal(folder.path(), other, true); });
  };
  EXPECT_THAT(resume_with([](auto& h) { h.spec_hash = "xyz"; }),
              AllOf(HasSubstr("begun with spec hash abc, this run has xyz"),
                    HasSubstr("the spec, its overrides or the kernel's source changed")));
  EXPECT_THAT(resume_with([](auto& h) { h.problems = "M=1"; }), HasSubstr("the same --problem"));
  EXPECT_THAT(resume_with([](auto& h) { h.seed = 8; }), HasSubstr("give --seed 7"));
  EXPECT_THAT(resume_with([](auto& h) { h.policy = "x"; }), HasSubstr("give --policy random"));
  EXPECT_THAT(resume_with([](auto& h) { h.device = "cuda:0"; }), HasSubstr("begun with device"));
  EXPECT_THAT(resume_with([](auto&) {}), HasSubstr("no error"));
}

TEST(Journal, AnEarlierRunIsKeptUnderAnotherName) {
  const TemporaryFolder folder;
  write_run(folder.path());
  folder.write("results.json", "earlier");
  const std::string earlier = folder.read("journal.jsonl");
  {
    const Journal journal(folder.path(), header(), false);
    EXPECT_EQ(journal.kept(), folder.path() / "journal.1.jsonl");
  }
  const Journal third(folder.path(), header(), false);
  EXPECT_EQ(third.kept(), folder.path() / "journal.2.jsonl");
  EXPECT_EQ(folder.read("journal.1.jsonl"), earlier);
  EXPECT_EQ(folder.read("results.1.json"), "earlier");
}

TEST(Journal, TwoRunsDoNotWriteTheSameFolder) {
  const TemporaryFolder folder;
  std::string second;
  {
    const Journal first(folder.path(), header(), false);
    second = error_of([&] { Journal(folder.path(), header(), true); });
  }
  EXPECT_THAT(second, HasSubstr("another run writes here (process " + std::to_string(getpid())));
  EXPECT_EQ(error_of([&] { Journal(folder.path(), header(), true); }), "no error");
}

TEST(Journal, AFolderThatCannotBeWrittenIsRefused) {
  const TemporaryFolder folder;
  folder.write("file", "");
  EXPECT_THAT(error_of([&] { Journal(folder.path() / "file" / "out", header(), false); }),
              HasSubstr("cannot be created"));
}

TEST(Journal, AConfigurationThatEndedTwoRunsIsDeadly) {
  const TemporaryFolder folder;
  for (int run = 0; run < 2; ++run) {
    Journal journal(folder.path(), header(), true);
    EXPECT_FALSE(journal.resumed().is_deadly(parameters(5)));
    journal.started(1, parameters(5));
    disarm_crash_note();
  }
  const Journal journal(folder.path(), header(), true);
  EXPECT_TRUE(journal.resumed().is_deadly(parameters(5)));
  EXPECT_FALSE(journal.resumed().is_deadly(parameters(6)));
}

TEST(Journal, ACrashOfTheProcessNamesItsConfiguration) {
  const TemporaryFolder folder;
  for (const int signal : {SIGSEGV, SIGABRT}) {
    const int key = 100 + signal;
    const pid_t child = fork();
    if (child == 0) {
      install_crash_note();
      Journal journal(folder.path(), header(), true);
      journal.started(1, parameters(1));
      journal.answered(record(1));
      journal.started(2, parameters(key));
      raise(signal);
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal);
    const Journal journal(folder.path(), header(), true);
    EXPECT_TRUE(journal.resumed().is_deadly(parameters(key)));
    EXPECT_FALSE(journal.resumed().is_deadly(parameters(1)));
  }
}

}  // namespace
}  // namespace rooftune
