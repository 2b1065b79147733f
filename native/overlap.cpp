#include "overlap.hpp"

#include <algorithm>
#include <vector>

#include "tokens.hpp"

namespace gecbench {
namespace {

struct Token {
  std::string_view text;
  std::uint64_t hash;

  bool operator==(const Token& other) const { return hash == other.hash && same_token(text, other.text); }
};

// The distinct tokens of a pair of lines, and which of the two have each; its memory is reused.
class TokenTypes {
 public:
  void clear(std::size_t most) {
    std::size_t wanted = 64;
    while (wanted < 2 * most) wanted *= 2;
    slots_.assign(wanted, -1);
    types_.clear();
  }

  void add(const Token& token, unsigned side) {
    std::size_t slot = token.hash & (slots_.size() - 1);
    for (; slots_[slot] >= 0; slot = (slot + 1) & (slots_.size() - 1)) {
      Type& type = types_[slots_[slot]];
      if (type.token == token) {
        type.sides |= side;
        return;
      }
    }
    slots_[slot] = static_cast<std::int32_t>(types_.size());
    types_.push_back({token, side});
  }

  std::int32_t size() const { return static_cast<std::int32_t>(types_.size()); }

  std::int32_t shared() const {
    std::int32_t found = 0;
    for (const Type& type : types_) found += type.sides == 3 ? 1 : 0;
    return found;
  }

 private:
  struct Type {
    Token token;
    unsigned sides;
  };
  std::vector<Type> types_;
  std::vector<std::int32_t> slots_;
};

void split(const Lines& lines, std::int64_t line, std::vector<Token>& tokens) {
  const char* end = lines.text.data() + lines.text.size();
  tokens.clear();
  split_line(lines[line], true, [&](std::string_view token) { tokens.push_back({token, hash_of(token, end)}); });
}

}  // namespace

void count_shared(const Lines& left, const Lines& right, std::int64_t pairs, std::int32_t* rows) {
  TokenTypes types;
  std::vector<Token> ours, theirs;
  for (std::int64_t pair = 0; pair < pairs; ++pair, rows += 4) {
    split(left, pair, ours);
    if (left[pair] == right[pair]) {
      theirs = ours;
    } else {
      split(right, pair, theirs);
    }
    const std::size_t most = std::min(ours.size(), theirs.size());
    std::size_t start = 0, end = 0;  // tokens alike at either end
    while (start < most && ours[start] == theirs[start]) ++start;
    while (end < most - start && ours[ours.size() - 1 - end] == theirs[theirs.size() - 1 - end]) ++end;
    types.clear(ours.size() + theirs.size());
    for (std::size_t n = 0; n < ours.size(); ++n) types.add(ours[n], n < start || n + end >= ours.size() ? 3 : 1);
    for (std::size_t n = start; n + end < theirs.size(); ++n) types.add(theirs[n], 2);
    rows[0] = static_cast<std::int32_t>(ours.size());
    rows[1] = static_cast<std::int32_t>(theirs.size());
    rows[2] = types.shared();
    rows[3] = types.size();
  }
}

}  // namespace gecbench
