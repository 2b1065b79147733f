// The best path through the lattice (docs/metrics/m2.md §6-§8) in exact arithmetic and without listing merged edits.
//
// The official program weighs every merged edit and runs Bellman and Ford's algorithm on doubles. Here
// 1. Weights are whole thousandths. The reward -N of an edit that agrees with the gold is replaced by one large
//    constant. Like the constant, N exceeds the cost of the other edits of a path, so the number of rewards decides
//    first.
// 2. Merged edits are made only if a gold edit agrees. All others are found by dynamic programming over vertices in
//    order. Its state is the open edit: none, or one that has spanned a number of unchanged words. A merged edit is
//    assumed to be as short as any path between its ends and to be listed once. So it never costs more than in the
//    program.
// 3. A path is accepted only if it is certain to be the program's answer (PathSearch::is_official). Two conditions must
//    hold. Every arc of the path has the same weight in the program as here, so no path is lighter there. No path of
//    equal cost has other counts, so neither rounding nor the order of the list can matter. Otherwise the literal
//    algorithm decides (literal.hpp).
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "maxmatch/lattice.hpp"

namespace gecbench::maxmatch {

// Insertions at one position

constexpr std::int64_t kStepCost = 1000;  // costs are in thousandths of the official weights
constexpr std::int64_t kRewardCost = -(std::int64_t{1} << 40);

// Maximal vertex ranges (first, last), both included, of a row that insertions connect.
void find_insertion_runs(const Lattice& lattice, std::int32_t row,
                         std::vector<std::pair<std::int32_t, std::int32_t>>& runs);

// An arc and the gold edits (sorted indexes) whose text it has.
struct AgreeingArc {
  std::int32_t tail, head;
  const std::int32_t* golds_begin;
  const std::int32_t* golds_end;
};

// Weights of the insertion arcs of one position. The official program walks the sorted list of all these arcs from both
// ends (`weigh_insertions` in literal.cpp). A run of n insertions has n (n + 1) / 2 arcs, so they are not listed here.
// Only agreeing arcs can match, and every entry that is passed between two matches gets one penalty. So the walk is a
// short sequence of events: each place in a range of the list gets a penalty, or an arc gets the reward.
class InsertionPairing {
 public:
  InsertionPairing(const Lattice& lattice, std::int32_t row, const std::vector<AgreeingArc>& agreeing);

  std::int32_t row() const { return row_; }
  // The final weight of an arc in thousandths.
  std::int64_t cost(std::int32_t tail, std::int32_t head) const;

 private:
  struct Event {  // places [first, last) get a penalty each, or the arc at `first` gets the reward
    std::int64_t first, last;
    bool is_reward;
  };
  struct Listed {
    std::int64_t first, last;  // places in the sorted list
    AgreeingArc arc;
  };
  struct Found {
    std::int64_t place = -1;
    const Listed* listed = nullptr;
    std::int32_t gold = 0;
  };

  void number_places();
  std::pair<std::int64_t, std::int64_t> entries(std::int32_t tail, std::int32_t head) const;
  Found next_match(std::int64_t first, std::int64_t last, bool from_left) const;
  void walk();
  void match_left();
  void match_right();

  const Lattice* lattice_;
  std::int32_t row_, first_vertex_;
  std::vector<std::int32_t> run_ends_;  // by tail: the last vertex of its run
  std::vector<std::int64_t> places_;    // by tail: the place of its first entry in the sorted list
  std::vector<Listed> agreeing_;
  std::vector<Event> events_;
  // The walk's pointers in the list of arcs, and the first and last gold edit that can still match
  std::int64_t left_ = 0, right_ = 0;
  std::int32_t gold_left_ = 0, gold_right_ = -1;
};

// Arcs that agree with gold edits

// An arc whose text agrees with the gold edits group_golds[golds_begin:golds_end].
struct GoldArc {
  std::int32_t tail, head;
  std::int64_t cost;
  std::int32_t golds_begin, golds_end;
};

struct GoldArcs {
  std::vector<GoldArc> arcs;  // by head
  std::vector<std::int32_t> group_golds;
  std::vector<InsertionPairing> pairings;  // of the positions with agreeing insertions, ascending
  bool certain = true;                     // no gold edit agrees with kept tokens

  const InsertionPairing* pairing(std::int32_t row) const;
};

class GoldArcFinder {
 public:
  const GoldArcs& find(const Lattice& lattice, TokenSpan source, TokenSpan hypothesis, const GoldEdits& golds,
                       std::int32_t max_unchanged_words);

 private:
  struct Entry {
    std::int32_t start, end;
    TokenSpan text;
    std::int32_t gold;
  };
  struct Group {  // one span and text, and the gold edits that accept it
    std::int32_t start, end;
    TokenSpan text;
    std::int32_t golds_begin, golds_end;
  };

  void group_by_text(TokenSpan source, const GoldEdits& golds);
  void add_texts(const Group& group);
  void add_insertions(const Group* first, const Group* last);

  const Lattice* lattice_ = nullptr;
  TokenSpan hypothesis_;
  std::int32_t max_unchanged_words_ = 0;
  ArcFinder arc_finder_;
  GoldArcs result_;
  std::vector<Entry> entries_;
  std::vector<Group> groups_;
  std::vector<std::pair<std::int32_t, std::int32_t>> runs_;
  std::vector<AgreeingArc> agreeing_;
};

// The path

// Lower-cased characters of both sentences, to find the edits that change only spaces and case (§8).
class FoldedCharacters {
 public:
  void fill(TokenSpan source, TokenSpan hypothesis, const TokenArray& folded);
  bool are_equal(std::int32_t row, std::int32_t last_row, std::int32_t column, std::int32_t last_column) const;

 private:
  std::vector<std::int32_t> source_, hypothesis_;
  std::vector<std::int64_t> source_offsets_, hypothesis_offsets_;
};

// The numbers of edits proposed and correct so far, and the position in the gold list (§8).
struct Tally {
  std::int32_t proposed = 0, correct = 0, position = 0;
};

class PathSearch {
 public:
  // Searches for one sentence and one annotator. `folded` may be null.
  void run(const Lattice& lattice, const GoldEdits& golds, const GoldArcs& arcs, std::int32_t max_unchanged_words,
           const FoldedCharacters* folded);

  // Whether the counts are certain to be the official ones: see step 3 above.
  bool is_official();
  Counts counts() const;
  void edits(std::vector<PathEdit>& path) const;

 private:
  enum Kind : std::uint8_t { kKeep, kSingle, kMerged, kAgreed };
  struct Closed {  // the best path to a vertex with no edit open
    std::int64_t cost;
    Tally tally;
    std::int32_t tail;
    bool tied;  // an equally light path has other counts
    Kind kind;
  };
  struct Open {  // the best path to a vertex inside an edit that began at `start`
    std::int64_t cost;
    std::int32_t start;
    bool tied;
  };

  Tally skip_golds_before(Tally tally, std::int32_t row) const;
  Tally propose(Tally tally, std::int32_t tail, std::int32_t head) const;
  Tally match(Tally tally, const GoldArc& arc) const;
  void close_at(std::int32_t vertex);
  void open_at(std::int32_t vertex);
  void improve(Open& best, Open way, std::int32_t vertex) const;
  bool is_ignored(std::int32_t tail, std::int32_t head) const;
  Open* open_paths(std::int32_t vertex) { return open_.data() + std::int64_t{vertex} * (limit_ + 1); }

  const Lattice* lattice_ = nullptr;
  const GoldEdits* golds_ = nullptr;
  const GoldArcs* arcs_ = nullptr;
  const FoldedCharacters* folded_ = nullptr;
  std::int32_t limit_ = 0;    // of unchanged words in an edit
  bool golds_sorted_ = true;  // by start
  std::size_t next_arc_ = 0;  // in arcs_, which are sorted by head
  std::vector<std::int32_t> first_gold_of_row_;
  std::vector<Closed> closed_;  // by vertex
  std::vector<Open> open_;      // by vertex and number of unchanged words
  ArcFinder arc_finder_;
};

}  // namespace gecbench::maxmatch
