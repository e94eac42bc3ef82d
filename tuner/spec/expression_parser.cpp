// Text to tree: a lexer and a Pratt parser.
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "tuner/core/error.hpp"
#include "tuner/spec/ast.hpp"
#include "tuner/spec/expression.hpp"

namespace rooftune::ast {
namespace {

constexpr std::size_t longest_text = 4000;
constexpr int deepest_nesting = 200;

struct Token {
  enum class Kind { end, number, text, word, symbol } kind = Kind::end;
  std::string_view spelling;
  std::size_t offset = 0;
  Value value;  ///< of a number or a text
  /// 2^63: only as the operand of a minus sign.
  bool needs_minus = false;
};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool starts_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool continues_word(char c) {
  return starts_word(c) || is_digit(c);
}

/// What people write by habit from other languages.
struct ForeignSymbol {
  std::string_view symbol;
  std::string_view problem;
  std::string_view hint;
};
constexpr std::array<ForeignSymbol, 11> foreign_symbols = {{
    {"&&", "`&&` is not an operator here", "write `and`"},
    {"||", "`||` is not an operator here", "write `or`"},
    {"!", "`!` is not an operator here", "write `not`"},
    {"<<", "there are no bit operators", "write `* 2 ** n`"},
    {">>", "there are no bit operators", "write `// 2 ** n`"},
    {"&", "there are no bit operators", "write `and` for logic, `%` for remainders"},
    {"|", "there are no bit operators", "write `or` for logic"},
    {"^", "there are no bit operators", "write `**` for powers"},
    {"~", "there are no bit operators", "write `not` for logic"},
    {"?", "`?` is not an operator here", "write `a if condition else b`"},
    {"=", "a single `=` does not compare", "write `==`"},
}};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  Token next() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r')) {
      ++at_;
    }
    if (at_ == text_.size()) {
      return {Token::Kind::end, "", at_, {}, false};
    }
    const char c = text_[at_];
    if (is_digit(c) || (c == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]))) {
      return number();
    }
    if (starts_word(c)) {
      const std::size_t begin = at_;
      while (at_ < text_.size() && continues_word(text_[at_])) {
        ++at_;
      }
      return {Token::Kind::word, text_.substr(begin, at_ - begin), begin, {}, false};
    }
    return c == '"' || c == '\'' ? quoted(c) : symbol();
  }

 private:
  Token number() {
    const std::size_t begin = at_;
    bool real = false;
    const auto digits = [&] {
      while (at_ < text_.size() && is_digit(text_[at_])) {
        ++at_;
      }
    };
    digits();
    if (at_ < text_.size() && text_[at_] == '.') {
      real = true;
      ++at_;
      digits();
    }
    if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
      std::size_t exponent = at_ + 1;
      if (exponent < text_.size() && (text_[exponent] == '+' || text_[exponent] == '-')) {
        ++exponent;
      }
      if (exponent < text_.size() && is_digit(text_[exponent])) {
        real = true;
        at_ = exponent;
        digits();
      }
    }
    if (at_ < text_.size() && (continues_word(text_[at_]) || text_[at_] == '.')) {
      throw ExpressionError("a number cannot go on like this", at_, "write numbers as 64 or 0.5");
    }
    return number_token(text_.substr(begin, at_ - begin), begin, real);
  }

  static Token number_token(std::string_view spelling, std::size_t begin, bool real) {
    Token token{Token::Kind::number, spelling, begin, {}, false};
    const char* last = spelling.data() + spelling.size();
    if (real) {
      double number = 0;
      const auto result = std::from_chars(spelling.data(), last, number);
      if (result.ec != std::errc{} || !std::isfinite(number)) {
        throw ExpressionError(fmt::format("{} is outside the range of a real", spelling), begin);
      }
      token.value = number;
      return token;
    }
    if (spelling.size() > 1 && spelling.front() == '0') {
      throw ExpressionError(fmt::format("the number {} begins with a zero", spelling), begin,
                            "octal or decimal? leave the zero out");
    }
    std::uint64_t number = 0;
    constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    const auto result = std::from_chars(spelling.data(), last, number);
    if (result.ec != std::errc{} || number > largest + 1) {
      throw ExpressionError(fmt::format("{} does not fit 64 bits", spelling), begin);
    }
    token.needs_minus = number == largest + 1;
    token.value = token.needs_minus ? std::numeric_limits<std::int64_t>::min()
                                    : static_cast<std::int64_t>(number);
    return token;
  }

  Token quoted(char quote) {
    const std::size_t begin = at_++;
    std::string text;
    while (at_ < text_.size() && text_[at_] != quote) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) {
        ++at_;
        text += text_[at_] == 'n' ? '\n' : text_[at_] == 't' ? '\t' : text_[at_];
      } else {
        text += text_[at_];
      }
      ++at_;
    }
    if (at_ == text_.size()) {
      throw ExpressionError("this text has no closing quote", begin);
    }
    ++at_;
    return {Token::Kind::text, text_.substr(begin, at_ - begin), begin, Value(text), false};
  }

  Token symbol() {
    constexpr std::array<std::string_view, 18> symbols = {
        "**", "//", "==", "!=", "<=", ">=", "<", ">", "+",
        "-",  "*",  "/",  "%",  "(",  ")",  "[", "]", ","};
    const std::string_view rest = text_.substr(at_);
    const bool compares = rest.substr(0, 2) == "==" || rest.substr(0, 2) == "!=";
    for (const ForeignSymbol& foreign : foreign_symbols) {
      if (!compares && rest.substr(0, foreign.symbol.size()) == foreign.symbol) {
        throw ExpressionError(std::string(foreign.problem), at_, std::string(foreign.hint));
      }
    }
    for (const std::string_view known : symbols) {
      if (rest.substr(0, known.size()) == known) {
        const std::size_t begin = at_;
        at_ += known.size();
        return {Token::Kind::symbol, text_.substr(begin, known.size()), begin, {}, false};
      }
    }
    const bool printable = rest.front() > ' ' && rest.front() < 127;
    throw ExpressionError(
        printable ? fmt::format("unexpected `{}`", rest.front()) : "unexpected character", at_);
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

struct BinaryOperator {
  std::string_view spelling;
  int precedence;
  Kind kind;
};
constexpr std::array<BinaryOperator, 9> binary_operators = {{
    {"or", precedence_or, Kind::logical_or},
    {"and", precedence_and, Kind::logical_and},
    {"+", precedence_add, Kind::add},
    {"-", precedence_add, Kind::subtract},
    {"*", precedence_multiply, Kind::multiply},
    {"/", precedence_multiply, Kind::divide},
    {"//", precedence_multiply, Kind::floor_divide},
    {"%", precedence_multiply, Kind::modulo},
    {"**", precedence_power, Kind::power},
}};

class Parser {
 public:
  explicit Parser(std::string_view text) : lexer_(text), token_(lexer_.next()) {}

  NodePtr whole() {
    if (token_.kind == Token::Kind::end) {
      throw ExpressionError("the expression is empty", token_.offset);
    }
    NodePtr root = expression(precedence_conditional);
    if (token_.kind != Token::Kind::end) {
      throw unexpected("an operator or the end");
    }
    return root;
  }

 private:
  bool is(std::string_view spelling) const {
    return (token_.kind == Token::Kind::symbol || token_.kind == Token::Kind::word) &&
           token_.spelling == spelling;
  }
  bool accept(std::string_view spelling) {
    if (!is(spelling)) {
      return false;
    }
    advance();
    return true;
  }
  void advance() { token_ = lexer_.next(); }
  void expect(std::string_view spelling) {
    if (!accept(spelling)) {
      throw unexpected(fmt::format("`{}`", spelling));
    }
  }
  ExpressionError unexpected(std::string_view wanted) const {
    return ExpressionError(
        token_.kind == Token::Kind::end
            ? fmt::format("the expression ends where {} should follow", wanted)
            : fmt::format("unexpected `{}`: {} should stand here", token_.spelling, wanted),
        token_.offset);
  }

  /// Everything that binds at least as tightly as `least`.
  NodePtr expression(int least) {
    if (++depth_ > deepest_nesting) {
      throw ExpressionError("the expression is nested too deeply", token_.offset);
    }
    NodePtr left = prefix(least);
    while (NodePtr longer = infix(left, least)) {
      left = std::move(longer);
    }
    --depth_;
    return left;
  }

  NodePtr prefix(int least) {
    if (is("not")) {
      if (least > precedence_not) {
        throw ExpressionError("`not` needs parentheses here", token_.offset, "write (not ...)");
      }
      advance();
      return make(Kind::logical_not, {expression(precedence_not)});
    }
    if (accept("+")) {
      return make(Kind::plus, {expression(precedence_unary)});
    }
    if (accept("-")) {
      return minus();
    }
    if (accept("(")) {
      NodePtr inner = expression(precedence_conditional);
      expect(")");
      return inner;
    }
    if (token_.kind == Token::Kind::word) {
      return word();
    }
    if (token_.kind == Token::Kind::number || token_.kind == Token::Kind::text) {
      if (token_.needs_minus) {
        throw ExpressionError(fmt::format("{} does not fit 64 bits", token_.spelling),
                              token_.offset);
      }
      NodePtr literal = constant(token_.value);
      advance();
      return literal;
    }
    if (is("[")) {
      throw ExpressionError("a list stands only on the right of `in`", token_.offset);
    }
    throw unexpected("a value");
  }

  /// After a minus sign. A literal becomes a negative constant, so that -3 prints and reads back.
  NodePtr minus() {
    if (token_.kind == Token::Kind::number) {
      const Token literal = token_;
      advance();
      if (!is("**")) {
        if (literal.needs_minus) {
          return constant(literal.value);
        }
        return literal.value.kind() == Value::Kind::integer ? constant(-literal.value.as_integer())
                                                            : constant(-literal.value.as_real());
      }
      if (literal.needs_minus) {
        throw ExpressionError(fmt::format("{} does not fit 64 bits", literal.spelling),
                              literal.offset);
      }
      return make(Kind::negate, {infix(constant(literal.value), precedence_unary)});
    }
    return make(Kind::negate, {expression(precedence_unary)});
  }

  NodePtr word() {
    const Token word = token_;
    if (word.spelling == "True" || word.spelling == "true" || word.spelling == "False" ||
        word.spelling == "false") {
      advance();
      return constant(word.spelling == "True" || word.spelling == "true");
    }
    if (const FunctionInfo* function = find_function(word.spelling)) {
      advance();
      return arguments(*function, word.offset);
    }
    if (is_reserved_name(word.spelling)) {
      throw unexpected("a value");
    }
    advance();
    if (is("(")) {
      std::vector<std::string> known;
      for (const FunctionInfo& function : functions()) {
        known.emplace_back(function.name);
      }
      throw ExpressionError(fmt::format("there is no function `{}`", word.spelling), word.offset,
                            suggest(word.spelling, known));
    }
    return name(std::string(word.spelling), word.offset);
  }

  NodePtr arguments(const FunctionInfo& function, std::size_t offset) {
    expect("(");
    std::vector<NodePtr> list = expressions_until(")");
    if (list.size() < function.least_arguments || list.size() > function.most_arguments) {
      const bool fixed = function.least_arguments == function.most_arguments;
      throw ExpressionError(fmt::format("{} takes {}{} argument{}, not {}", function.name,
                                        fixed ? "" : "at least ", function.least_arguments,
                                        function.least_arguments == 1 ? "" : "s", list.size()),
                            offset);
    }
    return call(function.function, std::move(list));
  }

  /// Comma-separated, a last comma allowed, up to and with `closing`.
  std::vector<NodePtr> expressions_until(std::string_view closing) {
    std::vector<NodePtr> list;
    while (!is(closing)) {
      list.push_back(expression(precedence_conditional));
      if (!is(closing) && !accept(",")) {
        throw unexpected(fmt::format("`,` or `{}`", closing));
      }
    }
    advance();
    return list;
  }

  /// `left` extended by the operator that follows; null where none binds tightly enough.
  NodePtr infix(const NodePtr& left, int least) {
    if (is("if")) {
      return least <= precedence_conditional ? conditional(left) : nullptr;
    }
    if (comparison()) {
      return least <= precedence_compare ? chain(left) : nullptr;
    }
    for (const BinaryOperator& candidate : binary_operators) {
      if (is(candidate.spelling)) {
        if (candidate.precedence < least) {
          return nullptr;
        }
        advance();
        // A power binds its right side loosely enough for another power and for a sign.
        const int right =
            candidate.kind == Kind::power ? precedence_unary : candidate.precedence + 1;
        return make(candidate.kind, {left, expression(right)});
      }
    }
    return nullptr;
  }

  NodePtr conditional(const NodePtr& then) {
    advance();
    NodePtr condition = expression(precedence_or);
    expect("else");
    NodePtr otherwise = expression(precedence_conditional);
    return make(Kind::conditional, {std::move(condition), then, std::move(otherwise)});
  }

  std::optional<Comparison> comparison() const {
    if (is("not")) {
      return Comparison::not_in;
    }
    for (int i = 0; i < static_cast<int>(Comparison::not_in); ++i) {
      if (is(to_string(static_cast<Comparison>(i)))) {
        return static_cast<Comparison>(i);
      }
    }
    return std::nullopt;
  }

  NodePtr chain(const NodePtr& first) {
    std::vector<Comparison> comparisons;
    std::vector<NodePtr> operands = {first};
    while (const auto next = comparison()) {
      if (operands.back()->kind == Kind::list) {
        throw ExpressionError("a list cannot be compared", token_.offset);
      }
      advance();
      if (*next == Comparison::not_in) {
        expect("in");
      }
      comparisons.push_back(*next);
      const bool needs_list = *next == Comparison::in || *next == Comparison::not_in;
      operands.push_back(needs_list ? list() : expression(precedence_add));
    }
    return compare(std::move(comparisons), std::move(operands));
  }

  NodePtr list() {
    if (accept("[")) {
      return make(Kind::list, expressions_until("]"));
    }
    if (accept("(")) {
      return make(Kind::list, expressions_until(")"));
    }
    throw ExpressionError("a list should follow `in`", token_.offset, "write [1, 2] or (1, 2)");
  }

  Lexer lexer_;
  Token token_;
  int depth_ = 0;
};

}  // namespace

NodePtr parse(std::string_view text) {
  if (text.size() > longest_text) {
    throw ExpressionError(fmt::format("the expression is longer than {} characters", longest_text),
                          longest_text);
  }
  return Parser(text).whole();
}

}  // namespace rooftune::ast
