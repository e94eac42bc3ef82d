#include "tuner/core/tokens.hpp"

#include <gmock/gmock.h>

namespace rooftune {
namespace {

using testing::ElementsAre;

std::vector<std::string> texts(const std::string& source) {
  const TokenizedText tokenized = tokenize(source, "k.cu");
  std::vector<std::string> all;
  for (const Token& token : tokenized.tokens) {
    all.emplace_back(tokenized.view(token));
  }
  return all;
}

TEST(Tokens, SkipComments) {
  EXPECT_THAT(texts("a // b \\\n c\n/* d\n */ e"), ElementsAre("a", "e"));
}

TEST(Tokens, KeepLiteralsWhole) {
  EXPECT_THAT(texts("f(\"a//b\\\"\", 'c', R\"x(\n)\" )x\", u8\"d\");"),
              ElementsAre("f", "(", "\"a//b\\\"\"", ",", "'c'", ",", "R\"x(\n)\" )x\"", ",",
                          "u8\"d\"", ")", ";"));
}

TEST(Tokens, ReadNumbers) {
  EXPECT_THAT(texts("1'000 0x1Fu 1.5e-3f .5 a.x"),
              ElementsAre("1'000", "0x1Fu", "1.5e-3f", ".5", "a", ".", "x"));
}

TEST(Tokens, KeepDirectivesWithTheirContinuations) {
  EXPECT_THAT(texts("#define A \\\n  1\nint a; # no directive\n"),
              ElementsAre("#define A \\\n  1", "int", "a", ";", "#", "no", "directive"));
}

TEST(Tokens, TellCompoundPunctuationApart) {
  EXPECT_THAT(texts("a::b->c<<<1, 2>>>d"),
              ElementsAre("a", "::", "b", "->", "c", "<<<", "1", ",", "2", ">", ">", ">", "d"));
}

TEST(Tokens, CountLines) {
  const TokenizedText tokenized = tokenize("a\n/*\n*/ b\n#line 40 \"other.h\"\nc\n", "k.cu");
  ASSERT_EQ(tokenized.tokens.size(), 3U);
  EXPECT_EQ(tokenized.tokens[0].line, 1);
  EXPECT_EQ(tokenized.tokens[1].line, 3);
  EXPECT_EQ(tokenized.tokens[2].line, 40);
  EXPECT_EQ(tokenized.files[static_cast<std::size_t>(tokenized.tokens[2].file)], "other.h");
}

TEST(Tokens, EndUnclosedLiteralsSomewhere) {
  EXPECT_THAT(texts("\"a\nb"), ElementsAre("\"a", "b"));
  EXPECT_THAT(texts("R\"(a"), ElementsAre("R\"(a"));
  EXPECT_THAT(texts("/* a"), ElementsAre());
}

}  // namespace
}  // namespace rooftune
