// Edits of several annotators as error groups, laid end to end (docs/imeasure.md, sections 2 and 3);
// twin of gecbench/kernels/grouping.py.
#pragma once

#include <vector>

#include "tokens.hpp"

namespace gecbench {

// The edits of sentence s are rows sentence_offsets[s]:sentence_offsets[s + 1]; edit e is annotators[e]'s, of the
// source tokens [spans[2 e], spans[2 e + 1]), with the tokens texts[e]; people[s] annotators worked on sentence s.
struct AnnotatedEdits {
  const std::int64_t* sentence_offsets;
  std::int64_t sentences;
  const std::int32_t* annotators;
  const std::int32_t* spans;
  TokenArray texts;
  const std::int32_t* people;
};

// The groups of a corpus, as the Python twin describes them.
struct GroupLayout {
  std::vector<std::int64_t> group_offsets{0}, alternative_offsets{0}, edit_offsets{0}, member_offsets{0}, members;
  std::vector<std::int32_t> optional;
  std::vector<std::uint8_t> bridged;
};

GroupLayout group_edits(const AnnotatedEdits& edits);

}  // namespace gecbench
