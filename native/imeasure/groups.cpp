#include "imeasure/groups.hpp"

namespace gecbench::imeasure {

int Group::start() const {
  int first = INT32_MAX;
  for (const auto& alternative : alternatives) {
    for (const Edit& edit : alternative) first = std::min(first, edit.start);
  }
  return first == INT32_MAX ? 0 : first;
}

int Group::end() const {
  int last = INT32_MIN;
  for (const auto& alternative : alternatives) {
    for (const Edit& edit : alternative) last = std::max(last, edit.end);
  }
  return last == INT32_MIN ? 0 : last;
}

std::vector<Group> GroupArrays::groups(std::int64_t sentence) const {
  std::vector<Group> found;
  for (std::int64_t g = group_offsets[sentence]; g < group_offsets[sentence + 1]; ++g) {
    found.push_back({{}, optional[g] != 0});
    for (std::int64_t a = alternative_offsets[g]; a < alternative_offsets[g + 1]; ++a) {
      Alternative alternative;
      for (std::int64_t e = edit_offsets[a]; e < edit_offsets[a + 1]; ++e) {
        alternative.push_back({spans[2 * e], spans[2 * e + 1], corrections[e]});
      }
      found.back().alternatives.push_back(std::move(alternative));
    }
  }
  return found;
}

}  // namespace gecbench::imeasure
