// Error groups (Felice & Briscoe 2015, section 2.1; docs/metrics/imeasure.md §2 and §3): the edits of several
// annotators, clustered by overlap. A group is one error. Each annotator's edits in the group are one alternative.
// Edits of an alternative with the same span are joined. Equal alternatives are kept once. Python reference:
// gecbench/kernels/grouping.py.
#pragma once

#include <vector>

#include "tokens.hpp"

namespace gecbench {

// Sentence s has people[s] annotators and the edits sentence_offsets[s]:sentence_offsets[s + 1]. In edit e, annotator
// annotators[e] replaces the source tokens [spans[2 e], spans[2 e + 1]) by the tokens texts[e].
struct AnnotatedEdits {
  const std::int64_t* sentence_offsets;
  std::int64_t sentences;
  const std::int32_t* annotators;
  const std::int32_t* spans;
  TokenArray texts;
  const std::int32_t* people;
};

// The groups of a corpus. Sentence s has the groups group_offsets[s]:group_offsets[s + 1]. Group g has the alternatives
// alternative_offsets[g]:alternative_offsets[g + 1]. Alternative a has the edits edit_offsets[a]:edit_offsets[a + 1].
// Edit e joins the input edits members[member_offsets[e]:member_offsets[e + 1]], all with the same span. A group is
// optional if not all annotators corrected it. A sentence is bridged if edits of two of its groups overlap.
struct GroupLayout {
  std::vector<std::int64_t> group_offsets{0}, alternative_offsets{0}, edit_offsets{0}, member_offsets{0}, members;
  std::vector<std::int32_t> optional;
  std::vector<std::uint8_t> bridged;
};

GroupLayout group_edits(const AnnotatedEdits& edits);

}  // namespace gecbench
