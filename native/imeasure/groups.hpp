// Groups of alternative corrections, of which a mixed reference takes one each (Felice & Briscoe 2015, section 2.1);
// twin of gecbench/kernels/imeasure/groups.py.
#pragma once

#include <vector>

#include "tokens.hpp"

namespace gecbench::imeasure {

struct Edit {
  int start, end;
  TokenSpan tokens;
};

using Alternative = std::vector<Edit>;

// Distinct alternatives; an optional group may be left alone, which is its last choice.
struct Group {
  std::vector<Alternative> alternatives;
  bool optional = false;

  int choices() const { return static_cast<int>(alternatives.size()) + optional; }
  int start() const;
  int end() const;
};

// All groups of a corpus, laid end to end: sentence s has the groups group_offsets[s]:group_offsets[s + 1], group g the
// alternatives alternative_offsets[g]:alternative_offsets[g + 1], alternative a the edits
// edit_offsets[a]:edit_offsets[a + 1]; edit e replaces the source span [spans[2 e], spans[2 e + 1]) by corrections[e].
struct GroupArrays {
  const std::int64_t* group_offsets = nullptr;
  const std::int32_t* optional = nullptr;
  const std::int64_t* alternative_offsets = nullptr;
  const std::int64_t* edit_offsets = nullptr;
  const std::int32_t* spans = nullptr;
  TokenArray corrections;

  std::vector<Group> groups(std::int64_t sentence) const;
};

}  // namespace gecbench::imeasure
