// The best mixed reference of one sentence (Felice & Briscoe 2015, section 2.1); the steps are those of
// docs/imeasure.md, section 8. Twin of gecbench/kernels/imeasure/mixing.py.
#pragma once

#include <vector>

#include "imeasure/certificate.hpp"
#include "imeasure/groups.hpp"
#include "imeasure/product.hpp"

namespace gecbench::imeasure {

enum Status { kDone, kCollides, kTooMany, kTooLong };

// Combinations listed outright, references of a segment, distinct sums of counts, cells of an alignment,
// cells of all alignments of a segment.
struct Limits {
  std::int64_t listed, segment, sums, cells, work;
};

struct Work {
  std::int64_t asked = 0, alignments = 0, cells = 0, segments = 0;
};

struct Cut {
  int source, hypothesis;
};

// A reference of a segment: which choice of each group, its counts, distances and slack.
struct Option {
  std::vector<int> choice;
  std::vector<std::int32_t> tokens;
  Counts counts;
  int source_distance, hypothesis_distance, slack;

  TokenSpan span() const { return {tokens.data(), static_cast<std::int32_t>(tokens.size())}; }
};

// A stretch of the sentence that contains whole groups, with all its references.
struct Segment {
  std::vector<int> groups;
  std::vector<Option> options;
  TokenSpan hypothesis;
  int distance = 0;
};

struct Refused {
  Status status;
};

// Memory that sentences use one after another.
struct Tools {
  Aligner aligner;
  Certificate certificate;
};

// One sentence, its hypothesis and its groups.
class MixedSentence {
 public:
  MixedSentence(TokenSpan source, TokenSpan hypothesis, const std::vector<Group>& groups, const Limits& limits,
                Tools& tools);

  // Chooses an alternative per group (-1 is none) and returns how it went.
  Status choose(const Counts& offset, const Objective& goal, std::int32_t* choices, Counts& counts);

  Work work;

 private:
  std::vector<Segment> certified_segments();
  int doubtful_cut(const std::vector<Cut>& bounds, const std::vector<Segment>& segments);
  Segment segment(Cut start, Cut end);
  std::vector<Option> list_options(const std::vector<int>& members, TokenSpan source, int shift);
  bool apply(const std::vector<int>& members, const std::vector<int>& choice, TokenSpan source, int shift,
             std::vector<std::int32_t>& tokens);
  std::vector<std::pair<int, int>> blocks() const;
  int reach(const std::vector<int>& block) const;
  std::vector<Cut> find_cuts(const std::vector<std::pair<int, int>>& blocks);
  int kept_run(Cut place, int left, int right) const;

  TokenSpan source_, hypothesis_;
  const std::vector<Group>& groups_;
  Limits limits_;
  std::vector<int> order_;
  std::vector<const Edit*> edits_;
  Aligner& aligner_;
  Certificate& certificate_;
};

}  // namespace gecbench::imeasure
