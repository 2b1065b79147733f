#include "overlap.hpp"

#include <algorithm>
#include <vector>

#include "split.hpp"

namespace gecbench {
namespace {

// The distinct tokens of a pair of lines, and which of the two have each; its memory is reused.
class TokenTypes {
 public:
  void clear(std::size_t most) {
    std::size_t wanted = 64;
    while (wanted < 2 * most) wanted *= 2;
    slots_.assign(wanted, -1);
    types_.clear();
  }

  void add(std::string_view token, std::uint64_t hash, unsigned side) {
    std::size_t slot = hash & (slots_.size() - 1);
    for (; slots_[slot] >= 0; slot = (slot + 1) & (slots_.size() - 1)) {
      Type& type = types_[slots_[slot]];
      if (type.hash == hash && same_token(type.token, token)) {
        type.sides |= side;
        return;
      }
    }
    slots_[slot] = static_cast<std::int32_t>(types_.size());
    types_.push_back({hash, token, side});
  }

  std::int32_t size() const { return static_cast<std::int32_t>(types_.size()); }

  std::int32_t shared() const {
    std::int32_t found = 0;
    for (const Type& type : types_) found += type.sides == 3 ? 1 : 0;
    return found;
  }

 private:
  struct Type {
    std::uint64_t hash;
    std::string_view token;
    unsigned sides;
  };
  std::vector<Type> types_;
  std::vector<std::int32_t> slots_;
};

}  // namespace

void count_shared(const Lines& left, const Lines& right, std::int64_t pairs, std::int32_t* rows) {
  TokenTypes types;
  std::vector<std::string_view> ours, theirs;
  const auto split = [](std::string_view line, std::vector<std::string_view>& tokens) {
    tokens.clear();
    split_line(line, true, [&](std::string_view token) { tokens.push_back(token); });
    return static_cast<std::int32_t>(tokens.size());
  };
  for (std::int64_t pair = 0; pair < pairs; ++pair, rows += 4) {
    rows[0] = split(left[pair], ours);
    rows[1] = split(right[pair], theirs);
    const auto most = static_cast<std::size_t>(std::min(rows[0], rows[1]));
    std::size_t start = 0, end = 0;  // tokens alike at either end
    while (start < most && ours[start] == theirs[start]) ++start;
    while (end < most - start && ours[ours.size() - 1 - end] == theirs[theirs.size() - 1 - end]) ++end;
    types.clear(ours.size() + theirs.size());
    const auto add = [&types](std::string_view token, const Lines& lines, unsigned side) {
      types.add(token, hash_of(token, lines.text.data() + lines.text.size()), side);
    };
    for (std::size_t n = 0; n < ours.size(); ++n) add(ours[n], left, n < start || n + end >= ours.size() ? 3 : 1);
    for (std::size_t n = start; n + end < theirs.size(); ++n) add(theirs[n], right, 2);
    rows[2] = types.shared();
    rows[3] = types.size();
  }
}

}  // namespace gecbench
