// Error groups (Felice & Briscoe 2015, section 2.1; docs/metrics/imeasure.md §2 and §3): the edits of several
// annotators clustered by overlap. A group is one error. Each annotator's edits in it are one alternative, in which
// edits of one span are joined; equal alternatives count once. Python reference: gecbench/kernels/grouping.py.
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

// The groups of a corpus: sentence s has the groups group_offsets[s]:group_offsets[s + 1], group g the alternatives
// alternative_offsets[g]:alternative_offsets[g + 1], alternative a the edits edit_offsets[a]:edit_offsets[a + 1], and
// edit e joins the given edits members[member_offsets[e]:member_offsets[e + 1]], all of one span. A group is optional
// if not all annotators corrected it; a sentence is bridged if edits of two groups overlap.
struct GroupLayout {
  std::vector<std::int64_t> group_offsets{0}, alternative_offsets{0}, edit_offsets{0}, member_offsets{0}, members;
  std::vector<std::int32_t> optional;
  std::vector<std::uint8_t> bridged;
};

GroupLayout group_edits(const AnnotatedEdits& edits);

}  // namespace gecbench
