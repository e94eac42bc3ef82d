#include "tuner/spec/expression.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <optional>

#include "tuner/core/error.hpp"
#include "tuner/spec/random_trees.hpp"

namespace rooftune {
namespace {

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t smallest = std::numeric_limits<std::int64_t>::min();

Scope example_scope() {
  Scope scope;
  scope.set({{"M", 512}, {"TM", 8}, {"zero", 0}, {"x", 2.5}, {"T", "float"}, {"on", true}});
  return scope;
}

Value value_of(const std::string& text) {
  return Expression::parse(text).evaluate(example_scope());
}

std::string value_error(const std::string& text) {
  try {
    const Value value = value_of(text);
    return "no error: " + value.to_string();
  } catch (const ValueError& error) {
    return error.what();
  }
}

struct Example {
  std::string text;
  Value value;
};

/// Equal also in kind: Value's == takes 1 and 1.0 for equal.
void expect_values(const std::vector<Example>& examples) {
  for (const Example& example : examples) {
    SCOPED_TRACE(example.text);
    const Value value = value_of(example.text);
    EXPECT_EQ(value.kind(), example.value.kind());
    EXPECT_EQ(value, example.value);
  }
}

TEST(Expression, IntegersStayIntegers) {
  expect_values({{"2 + 3 * 4", 14},
                 {"(2 + 3) * 4", 20},
                 {"M // TM", 64},
                 {"2 ** 10", 1024},
                 {"2 ** 3 ** 2", 512},
                 {"-2 ** 2", -4},
                 {"(-2) ** 2", 4},
                 {"-(2)", -2}});
}

TEST(Expression, DivisionFloorsAsInPython) {
  expect_values({{"7 // 2", 3},         {"-7 // 2", -4},
                 {"7 // -2", -4},       {"-7 // -2", 3},
                 {"7 % 3", 1},          {"-7 % 3", 2},
                 {"7 % -3", -2},        {"-7 % -3", -1},
                 {"-6 % 3", 0},         {"7 / 2", 3.5},
                 {"8 / 2", 4.0},        {"7.5 // 2", 3.0},
                 {"-7.5 // 2", -4.0},   {"5.5 % 1.5", 1.0},
                 {"-5.5 % 1.5", 0.5},   {"1 // 0.1", 9.0},
                 {"ceil_div(7, 2)", 4}, {"ceil_div(-7, 2)", -3},
                 {"ceil_div(8, 2)", 4}, {"ceil_div(7.5, 2)", 4.0}});
}

TEST(Expression, PowersAreWholeWhereTheyCanBe) {
  expect_values({{"2 ** -1", 0.5},
                 {"2.0 ** 2", 4.0},
                 {"0 ** 0", 1},
                 {"(-1) ** 63", -1},
                 {"(-2) ** 63", smallest},
                 {"log2(1024)", 10},
                 {"log2(1)", 0},
                 {"log2(8.0)", 3.0},
                 {"log2(3)", 1.584962500721156}});
}

TEST(Expression, ComparisonsChain) {
  expect_values({{"1 < 2 < 3", true},
                 {"1 < 3 < 2", false},
                 {"32 <= M <= 1024", true},
                 {"M == 512 != TM", true},
                 {"1 == 1.0", true},
                 {"True == 1", true},
                 {"T == 'float'", true},
                 {"T == 1", false},
                 {"T != 1", true},
                 {"T < \"half\"", true},
                 {"9007199254740993 == 9007199254740992", false},
                 {"M in [1, 512]", true},
                 {"M in (1, 2)", false},
                 {"M not in (1, 2,)", true},
                 {"T in ['half', 'float']", true},
                 {"M in []", false},
                 {"M in (512)", true},
                 {"1 < 2 in [2]", true}});
}

TEST(Expression, LogicGivesAnOperandAndStopsEarly) {
  expect_values({{"M > 1 and TM > 1", true},
                 {"zero or 5", 5},
                 {"M and TM", 8},
                 {"zero and 1 // zero", 0},
                 {"M or 1 // zero", 512},
                 {"not zero", true},
                 {"not M == 1 and on", true},
                 {"True or False and False", true},
                 {"TM if M > 100 else 1 // zero", 8},
                 {"1 if zero else 2 if zero else 3", 3},
                 {"on + on", 2},
                 {"+on", 1},
                 {"-on", -1}});
}

TEST(Expression, CallsFunctions) {
  expect_values({{"min(3, 1, 2)", 1},
                 {"max(3, 1.5)", 3},
                 {"max(1, 1.5)", 1.5},
                 {"abs(-3)", 3},
                 {"abs(-2.5)", 2.5}});
}

TEST(Expression, ReadsNumbersAndTexts) {
  expect_values({{"1e3", 1000.0},
                 {"1.", 1.0},
                 {".5", 0.5},
                 {"2.5e-1", 0.25},
                 {"9223372036854775807", largest},
                 {"-9223372036854775808", smallest},
                 {"'a\"b'", "a\"b"},
                 {"\"a'b\"", "a'b"},
                 {"'it\\'s'", "it's"},
                 {"'two\\nlines'", "two\nlines"},
                 {" ( M )\n", 512}});
}

TEST(Expression, OverflowIsAnError) {
  const std::string fits = ": the result does not fit 64 bits";
  EXPECT_EQ(value_error("9223372036854775807 + 1"), "9223372036854775807 + 1" + fits);
  EXPECT_EQ(value_error("-9223372036854775808 - 1"), "-9223372036854775808 - 1" + fits);
  EXPECT_EQ(value_error("M * 2 ** 60"), "M * 2 ** 60" + fits + " (M = 512)");
  EXPECT_EQ(value_error("2 ** 63"), "2 ** 63" + fits);
  EXPECT_EQ(value_error("3 ** 1000000000000"), "3 ** 1000000000000" + fits);
  EXPECT_EQ(value_error("-9223372036854775808 // -1"), "-9223372036854775808 // -1" + fits);
  EXPECT_EQ(value_error("ceil_div(-9223372036854775808, -1)"),
            "ceil_div(-9223372036854775808, -1)" + fits);
  EXPECT_EQ(value_error("abs(-9223372036854775808)"), "abs(-9223372036854775808)" + fits);
  EXPECT_EQ(value_error("--9223372036854775808"), "--9223372036854775808" + fits);
  EXPECT_EQ(value_error("1e308 * 10"), "1e+308 * 10: the result is outside the range of a real");
  expect_values({{"-9223372036854775808 % -1", 0}});
}

TEST(Expression, DivisionByZeroNamesTheValues) {
  EXPECT_EQ(value_error("M + M // zero"), "M // zero: division by zero (M = 512, zero = 0)");
  EXPECT_EQ(value_error("M % (TM - 8)"), "M % (TM - 8): division by zero (M = 512, TM = 8)");
  EXPECT_EQ(value_error("1 / 0"), "1 / 0: division by zero");
  EXPECT_EQ(value_error("0 ** -1"), "0 ** -1: division by zero");
  EXPECT_EQ(value_error("ceil_div(M, zero)"),
            "ceil_div(M, zero): division by zero (M = 512, zero = 0)");
}

TEST(Expression, WrongTypesAreNamed) {
  EXPECT_EQ(value_error("T * 2"), "T * 2: \"float\" is not a number (T = float)");
  EXPECT_EQ(value_error("T < 2"), "T < 2: a text and a number have no order (T = float)");
  EXPECT_EQ(value_error("max(1, T)"), "max(1, T): \"float\" is not a number (T = float)");
  EXPECT_EQ(value_error("log2(zero)"),
            "log2(zero): the logarithm needs a positive number (zero = 0)");
  EXPECT_EQ(value_error("(-8) ** 0.5"),
            "(-8) ** 0.5: a broken power of a negative number is not real");
  EXPECT_EQ(value_error("N + 1"), "`N` is not known here");
}

struct Broken {
  std::string text;
  std::size_t offset;
  std::string message;
  std::string hint;
};

TEST(Expression, RefusesWhatItCannotRead) {
  const std::vector<Broken> examples = {
      {"", 0, "the expression is empty", ""},
      {"ceil_div(N", 10, "the expression ends where `,` or `)` should follow", ""},
      {"1 +", 3, "the expression ends where a value should follow", ""},
      {"1 2", 2, "unexpected `2`: an operator or the end should stand here", ""},
      {"a && b", 2, "`&&` is not an operator here", "write `and`"},
      {"a || b", 2, "`||` is not an operator here", "write `or`"},
      {"!a", 0, "`!` is not an operator here", "write `not`"},
      {"a ? 1", 2, "`?` is not an operator here", "write `a if condition else b`"},
      {"a = 1", 2, "a single `=` does not compare", "write `==`"},
      {"a & 1", 2, "there are no bit operators", "write `and` for logic, `%` for remainders"},
      {"a << 1", 2, "there are no bit operators", "write `* 2 ** n`"},
      {"1 + not a", 4, "`not` needs parentheses here", "write (not ...)"},
      {"012", 0, "the number 012 begins with a zero", "octal or decimal? leave the zero out"},
      {"2x", 1, "a number cannot go on like this", "write numbers as 64 or 0.5"},
      {"1.2.3", 3, "a number cannot go on like this", "write numbers as 64 or 0.5"},
      {"9223372036854775808", 0, "9223372036854775808 does not fit 64 bits", ""},
      {"-9223372036854775808 ** 2", 1, "9223372036854775808 does not fit 64 bits", ""},
      {"1e999", 0, "1e999 is outside the range of a real", ""},
      {"'abc", 0, "this text has no closing quote", ""},
      {"a $ b", 2, "unexpected `$`", ""},
      {"a \xc3\x97 b", 2, "unexpected character", ""},
      {"ciel_div(1, 2)", 0, "there is no function `ciel_div`", "did you mean \"ceil_div\"?"},
      {"abs(1, 2)", 0, "abs takes 1 argument, not 2", ""},
      {"min(1)", 0, "min takes at least 2 arguments, not 1", ""},
      {"min", 3, "the expression ends where `(` should follow", ""},
      {"a in b", 5, "a list should follow `in`", "write [1, 2] or (1, 2)"},
      {"[1, 2]", 0, "a list stands only on the right of `in`", ""},
      {"a in [1] == 2", 9, "a list cannot be compared", ""},
      {"1 if a", 6, "the expression ends where `else` should follow", ""},
      {"a not b", 6, "unexpected `b`: `in` should stand here", ""},
      {"else", 0, "unexpected `else`: a value should stand here", ""},
      {std::string(300, '('), 200, "the expression is nested too deeply", ""},
      {std::string(5000, '1'), 4000, "the expression is longer than 4000 characters", ""}};
  for (const Broken& example : examples) {
    SCOPED_TRACE(example.text);
    try {
      Expression::parse(example.text);
      FAIL() << "was read";
    } catch (const ExpressionError& error) {
      EXPECT_EQ(error.what(), example.message);
      EXPECT_EQ(error.offset(), example.offset);
      EXPECT_EQ(error.hint(), example.hint);
    }
  }
}

TEST(Expression, PrintsOnlyTheParenthesesThatItNeeds) {
  const auto printed = [](const std::string& text) { return Expression::parse(text).to_string(); };
  EXPECT_EQ(printed("((a)+(b*c))"), "a + b * c");
  EXPECT_EQ(printed("(a+b)*c"), "(a + b) * c");
  EXPECT_EQ(printed("a-(b-c)"), "a - (b - c)");
  EXPECT_EQ(printed("(a-b)-c"), "a - b - c");
  EXPECT_EQ(printed("(a**b)**c"), "(a ** b) ** c");
  EXPECT_EQ(printed("a**(b**c)"), "a ** b ** c");
  EXPECT_EQ(printed("(not a)and(b or c)"), "not a and (b or c)");
  EXPECT_EQ(printed("not(a and b)"), "not (a and b)");
  EXPECT_EQ(printed("(a<b)<c"), "(a < b) < c");
  EXPECT_EQ(printed("a in (1,2) and b"), "a in [1, 2] and b");
  EXPECT_EQ(printed("(a if b else c)if d else(e if f else g)"),
            "(a if b else c) if d else e if f else g");
  EXPECT_EQ(printed("(-3)**2"), "(-3) ** 2");
  EXPECT_EQ(printed("T == 'a\"b'"), "T == \"a\\\"b\"");
}

TEST(Expression, KnowsItsNamesAndWhereTheyStand) {
  const Expression expression = Expression::parse("(BM // TM) * min(BN, BM)");
  EXPECT_EQ(expression.names(), (std::vector<std::string>{"BM", "BN", "TM"}));
  EXPECT_EQ(expression.offset_of("BN"), 17U);
  EXPECT_EQ(expression.offset_of("BM"), 1U);
  EXPECT_EQ(expression.offset_of("K"), std::nullopt);
}

TEST(Expression, ReservesItsWords) {
  for (const char* name : {"and", "in", "True", "min", "ceil_div", "log2"}) {
    EXPECT_TRUE(is_reserved_name(name)) << name;
  }
  EXPECT_FALSE(is_reserved_name("BM"));
}

TEST(Scope, LooksInItselfThenInItsParent) {
  Scope parent;
  parent.set({{"M", 1}, {"N", 2}});
  Scope scope(&parent);
  scope.set("M", 10);
  EXPECT_EQ(*scope.find("M"), 10);
  EXPECT_EQ(*scope.find("N"), 2);
  EXPECT_EQ(scope.find("K"), nullptr);
  EXPECT_EQ(scope.names(), (std::vector<std::string>{"M", "N"}));
}

TEST(BoundExpression, ReadsSlotsAndFoldsTheRest) {
  Scope fixed;
  fixed.set({{"M", 512}, {"unit", 4}});
  const std::vector<std::string> slots = {"BM", "BN", "TM"};
  const BoundExpression bound =
      Expression::parse("M * unit // TM + BM * (M if unit == 4 else 1 // 0)").bind(slots, fixed);
  EXPECT_EQ(bound.slots(), (std::vector<std::size_t>{0, 2}));
  const std::vector<Value> values = {3, "unused", 2};
  EXPECT_EQ(bound.evaluate(values), 512 * 4 / 2 + 3 * 512);
}

TEST(BoundExpression, FaultsNameWhatWasFixedToo) {
  Scope fixed;
  fixed.set("M", 512);
  const std::vector<std::string> slots = {"TM"};
  const BoundExpression bound = Expression::parse("1 + M // TM").bind(slots, fixed);
  const std::vector<Value> values = {0};
  try {
    bound.evaluate(values);
    FAIL() << "no error";
  } catch (const ValueError& error) {
    EXPECT_STREQ(error.what(), "M // TM: division by zero (M = 512, TM = 0)");
  }
  EXPECT_THROW(Expression::parse("N").bind(slots, fixed), ValueError);
}

std::vector<ast::NodePtr> leaves() {
  return {ast::name("a"),        ast::name("b"),           ast::name("c"),
          ast::constant(0),      ast::constant(3),         ast::constant(-4),
          ast::constant(2.5),    ast::constant(-1e-30),    ast::constant(true),
          ast::constant("half"), ast::constant("q\"\\'n"), ast::constant(largest)};
}

TEST(Expression, RandomTreesPrintAndReadBackEqual) {
  RandomTrees trees(1, leaves());
  for (int i = 0; i < 5000; ++i) {
    const ast::NodePtr tree = trees.any(1 + i % 4);
    const std::string text = ast::print(*tree);
    SCOPED_TRACE(text);
    const ast::NodePtr again = ast::parse(text);
    ASSERT_TRUE(ast::equal(*tree, *again)) << ast::print(*again);
    ASSERT_EQ(ast::print(*again), text);
  }
}

/// The value, or the text of the error.
template <typename Evaluate>
std::string outcome_of(const Evaluate& evaluate) {
  try {
    const Value value = evaluate();
    return std::to_string(static_cast<int>(value.kind())) + " " + value.to_string();
  } catch (const ValueError& error) {
    return error.what();
  }
}

TEST(BoundExpression, RandomTreesComputeWhatTheyDoUnbound) {
  RandomTrees trees(2, leaves());
  Scope fixed;
  fixed.set("b", -7);
  const std::vector<std::string> slots = {"c", "a"};
  const std::vector<Value> values = {0.5, 6};
  Scope all(&fixed);
  all.set({{"c", values[0]}, {"a", values[1]}});
  int computed = 0;
  for (int i = 0; i < 5000; ++i) {
    const Expression expression = Expression::parse(ast::print(*trees.any(1 + i % 4)));
    SCOPED_TRACE(expression.to_string());
    const BoundExpression bound = expression.bind(slots, fixed);
    const std::string expected = outcome_of([&] { return expression.evaluate(all); });
    ASSERT_EQ(outcome_of([&] { return bound.evaluate(values); }), expected);
    computed += expected.find(':') == std::string::npos ? 1 : 0;
  }
  EXPECT_GT(computed, 1000);
}

TEST(Expression, WritesCpp) {
  const auto cpp = [](const std::string& text) { return Expression::parse(text).to_cpp(); };
  EXPECT_EQ(cpp("(BM // TM) * (BN // TN)"), "floor_div(BM, TM) * floor_div(BN, TN)");
  EXPECT_EQ(cpp("ceil_div(N, BN * 2)"), "ceil_div(N, BN * 2)");
  EXPECT_EQ(cpp("M * 1024 * 1024 * 4"), "M * 1024 * 1024 * 4");
  EXPECT_EQ(cpp("1024 * 1024 * 1024 * 4 * M"), "4294967296 * M");
  EXPECT_EQ(cpp("a - (b - c)"), "a - (b - c)");
  EXPECT_EQ(cpp("a / b"), "static_cast<double>(a) / b");
  EXPECT_EQ(cpp("a / (b * c)"), "static_cast<double>(a) / (b * c)");
  EXPECT_EQ(cpp("1 < a <= b"), "1 < a && a <= b");
  EXPECT_EQ(cpp("a > 1 or b and c"), "a > 1 ? a > 1 : (b != 0 ? c : b)");
  EXPECT_EQ(cpp("a > 1 or b > 1 and c > 1"), "a > 1 || (b > 1 && c > 1)");
  EXPECT_EQ(cpp("not a in [1, 2]"), "!(a == 1 || a == 2)");
  EXPECT_EQ(cpp("a not in [1, 2]"), "a != 1 && a != 2");
  EXPECT_EQ(cpp("65536 if a else 1"), "a != 0 ? std::int64_t{65536} : std::int64_t{1}");
  EXPECT_EQ(cpp("(a < b) == c"), "std::int64_t{a < b} == c");
  EXPECT_EQ(cpp("(a < b) * 4"), "std::int64_t{a < b} * 4");
  EXPECT_EQ(cpp("min(a, b, 3)"), "min(min(a, b), 3)");
  EXPECT_EQ(cpp("-a ** 2"), "-ipow(a, 2)");
  EXPECT_EQ(cpp("a - -3"), "a - (-3)");
  EXPECT_EQ(cpp("T == 'half'"), "T == std::string_view(\"half\")");
  EXPECT_EQ(cpp("-9223372036854775808"), "(-9223372036854775807 - 1)");
}

}  // namespace
}  // namespace rooftune
