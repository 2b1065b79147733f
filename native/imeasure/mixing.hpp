// The best mixed reference of one sentence (Felice & Briscoe 2015, section 2.1; docs/metrics/imeasure.md §8). Python
// reference: gecbench/kernels/imeasure.py.
//
// A mixed reference takes one alternative of every error group. So the number of mixed references is the product of the
// numbers of alternatives. The paper lists all mixed references. This kernel does not:
// 1. The sentence is cut between groups, in the middle of a run of source tokens that no group edits and the hypothesis
//    keeps.
// 2. The references of each segment are listed and aligned by themselves.
// 3. One reference per segment is picked so that the sum of their counts is best (best_sum.hpp).
// The result is right if every optimal alignment of every mixed reference passes through every cut point. Then
// alignments and counts add up segment by segment. CutPointProof proves this for each sentence before step 3. A cut
// point for which the proof fails is dropped, and the segments on both sides of it are listed as one. If a segment then
// has too many references, the sentence is searched without cut points (lattice.hpp).
#pragma once

#include <vector>

#include "imeasure/lattice.hpp"

namespace gecbench::imeasure {

// Error groups

struct Edit {
  int start, end;
  TokenSpan tokens;
};

using Alternative = std::vector<Edit>;

// Distinct alternatives. An optional group may also be left uncorrected, which is its last choice.
struct Group {
  std::vector<Alternative> alternatives;
  bool optional = false;

  int choices() const { return static_cast<int>(alternatives.size()) + optional; }
  int start() const;
  int end() const;
};

// All groups of a corpus, concatenated: sentence s has the groups group_offsets[s]:group_offsets[s + 1], group g the
// alternatives alternative_offsets[g]:alternative_offsets[g + 1], alternative a the edits
// edit_offsets[a]:edit_offsets[a + 1]. Edit e replaces the source span [spans[2 e], spans[2 e + 1]) by corrections[e].
struct GroupArrays {
  const std::int64_t* group_offsets = nullptr;
  const std::int32_t* optional = nullptr;
  const std::int64_t* alternative_offsets = nullptr;
  const std::int64_t* edit_offsets = nullptr;
  const std::int32_t* spans = nullptr;
  TokenArray corrections;

  std::vector<Group> groups(std::int64_t sentence) const;
};

// Cut points

// One of the parallel branches of a segment: its tokens, and their two-way distance to the segment of the text.
struct Branch {
  TokenSpan tokens;
  int distance;
};

// A proof that every optimal alignment of every mixed reference passes through the cut points, for all references at
// once.
//
// Let d be the two-way distance of a segment for a pair of texts. The slack of a segment is its three-way cost minus
// the three values of d. A cut point is charged the largest slack of the segment before it plus that of the segment
// after it.
// 1. An alignment is a path through points (i, j, k). The points where one text is at the cut form an interval of the
//    path. Three intervals that meet in pairs have a common point. So an alignment that misses a cut point misses it in
//    the projection on some pair of texts.
// 2. This class checks for each pair: every two-way path that misses all cut points between two others costs more than
//    the d of its segments plus the charges of the cut points missed.
// 3. Split an alignment at the cut points that it passes. In a part with several segments, every inner cut point is
//    missed in some pair. Apply step 2 to each run of cut points that a pair misses, and d to the rest. The costs add
//    up to more than all d plus the charges, and the charges cover all slacks. So the alignment costs more than the
//    optima of the segments together: it is not optimal. The baseline's two-way alignment has the same bound without
//    slack.
// 4. Inside a segment, tracing back meets the same moves as in the whole sentence. So ties are the same, and counts and
//    baseline add up.
//
// The references are a chain of segments with parallel branches. So the cheapest path that misses cut points, over all
// references, is a shortest path through text and chain. Each branch starts with a credit of its own distance.
class CutPointProof {
 public:
  // A cut point that some path may miss at too low a cost, -1 if there is none. Cut g, after segment g of the chain, is
  // at position cuts[g] of the text.
  int find_unproven(TokenSpan text, const std::vector<int>& cuts, const std::vector<std::vector<Branch>>& segments,
                    const std::vector<int>& charges);

 private:
  void through_branches(TokenSpan text, const std::vector<std::int32_t>& costs, const std::vector<Branch>& branches,
                        std::vector<std::int32_t>& arrived);
  void advance(TokenSpan text, std::int32_t token, bool last, const std::int32_t* row, std::int32_t* next) const;
  void miss(int cut, int charge);

  // Least costs by position of the text, minus distances and charges, since the last cut point that was passed: of
  // paths at this cut point, and of paths that missed all cut points since then. Both before and after a segment.
  std::vector<std::int32_t> passed_, missed_, after_passing_, after_missing_;
  std::vector<std::int32_t> rows_;
};

// Mixed references of a sentence

enum Status { kDone, kCollides, kTooMany, kTooLong };  // of a sentence; the last three are refusals (§9)

// Limits: combinations up to which a sentence is not cut, references of a segment, distinct sums of counts, cells of
// one alignment, cells of all alignments of a segment, cells of a search without cuts (0: none).
struct Limits {
  std::int64_t listed, segment, sums, cells, work, lattice;
};

// Work done for a sentence: the numbers of mixed references, alignments, their cells, and segments.
struct Work {
  std::int64_t asked = 0, alignments = 0, cells = 0, segments = 0;
};

using Cut = Cell;  // a position in the source and the position in the hypothesis that is aligned with it

// A reference of a segment: which choice of each group, its counts, distances and slack.
struct Option {
  std::vector<int> choice;
  std::vector<std::int32_t> tokens;
  Counts counts;
  int source_distance, hypothesis_distance, slack;

  TokenSpan span() const { return {tokens.data(), static_cast<std::int32_t>(tokens.size())}; }
};

// A part of the sentence between two cuts, with the groups inside and all its references.
struct Segment {
  std::vector<int> groups;
  std::vector<Option> options;
  TokenSpan hypothesis;
  int distance = 0;
};

struct Refused {
  Status status;
};

// Memory that is reused from sentence to sentence.
struct Workspace {
  Aligner aligner;
  CutPointProof proof;
};

// One sentence, its hypothesis and its groups.
class MixedSentence {
 public:
  MixedSentence(TokenSpan source, TokenSpan hypothesis, const std::vector<Group>& groups, const Limits& limits,
                Workspace& workspace);

  // Chooses an alternative per group (-1 for none), or returns why the sentence is refused.
  Status choose(const Counts& offset, const Objective& goal, std::int32_t* choices, Counts& counts);

  Work work;

 private:
  std::vector<Segment> proven_segments();
  std::vector<Segment> lattice_segments(Layers& layers);
  std::vector<Cell> pivots(const std::vector<int>& bounds);
  int find_unproven_cut(const std::vector<Cut>& bounds, const std::vector<Segment>& segments);
  Segment segment(Cut start, Cut end);
  Segment lattice_segment(int start, int end);
  std::vector<int> groups_between(int start, int end) const;
  std::vector<Option> list_options(const std::vector<int>& members, int start, int end);
  bool apply(const std::vector<int>& members, const std::vector<int>& choice, int start, int end,
             std::vector<std::int32_t>& tokens);
  std::vector<std::pair<int, int>> blocks() const;
  int reach(const std::vector<int>& block) const;
  int shortening(const std::vector<int>& block, int owner, const Alternative& own, const Edit& edit, int end) const;
  std::vector<Cut> find_cuts(const std::vector<std::pair<int, int>>& blocks);
  int kept_run(Cut place, int left, int right) const;

  TokenSpan source_, hypothesis_;
  const std::vector<Group>& groups_;
  Limits limits_;
  std::vector<int> order_;  // of the groups by position
  std::vector<const Edit*> edits_;
  Aligner& aligner_;
  CutPointProof& proof_;
};

}  // namespace gecbench::imeasure
