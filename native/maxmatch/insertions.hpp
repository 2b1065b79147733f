// Weights of the insertion arcs of one position (docs/m2.md, B.6).
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "maxmatch/lattice.hpp"

namespace gecbench::maxmatch {

constexpr std::int64_t kStepCost = 1000;  // costs are thousandths of the official weights
constexpr std::int64_t kRewardCost = -(std::int64_t{1} << 40);

// Maximal vertex ranges [first, second] of a row that insertions connect.
void find_insertion_runs(const Lattice& lattice, std::int32_t row,
                         std::vector<std::pair<std::int32_t, std::int32_t>>& runs);

// An arc and the gold edits (sorted indexes) whose text it has.
struct AgreeingArc {
  std::int32_t tail, head;
  const std::int32_t* golds_begin;
  const std::int32_t* golds_end;
};

// Pairs the insertion arcs of a position with its gold insertions as the official walk does, without listing the arcs:
// between two matches every kVisited entry gains one penalty, so the walk is a few ranges of list places and rewards.
class InsertionPairing {
 public:
  InsertionPairing(const Lattice& lattice, std::int32_t row, const std::vector<AgreeingArc>& agreeing);

  std::int32_t row() const { return row_; }
  std::int64_t cost(std::int32_t tail, std::int32_t head) const;

 private:
  struct Event {  // places [first, last) gain a penalty each, or the arc at `first` gets the reward
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
  std::vector<std::int32_t> run_ends_;
  std::vector<std::int64_t> places_;
  std::vector<Listed> agreeing_;
  std::vector<Event> events_;
  std::int64_t left_ = 0, right_ = 0;
  std::int32_t gold_left_ = 0, gold_right_ = -1;
};

// The same walk over a plain list: `arcs` is sorted with duplicates, `is_match(arc, gold)` and `weight_of(arc)`
// give access to the caller's tables.
template <typename Arc, typename Weight, typename IsMatch, typename WeightOf>
void weigh_insertions(const std::vector<Arc>& arcs, std::int32_t gold_count, Weight reward, Weight penalty,
                      IsMatch is_match, WeightOf weight_of) {
  std::int64_t left = 0, right = static_cast<std::int64_t>(arcs.size()) - 1;
  std::int32_t gold_left = 0, gold_right = gold_count - 1;
  bool at_left = true;
  while (left <= right) {
    if (left == right) at_left = true;
    const Arc arc = arcs[at_left ? left : right];
    std::int32_t gold = at_left ? gold_left : gold_right;
    while (gold_left <= gold && gold <= gold_right && !is_match(arc, gold)) gold += at_left ? 1 : -1;
    if (gold < gold_left || gold > gold_right) {
      weight_of(arc) += penalty;
      at_left ? ++left : --right;
      at_left = !at_left;
      continue;
    }
    weight_of(arc) = reward;
    if (at_left) {
      gold_left = gold + 1;
      for (++left; left < static_cast<std::int64_t>(arcs.size()) && arcs[left].first != arc.second; ++left)
        weight_of(arcs[left]) += penalty;
    } else {
      gold_right = gold - 1;
      for (--right; right >= 0 && arcs[right].second != arc.first; --right) weight_of(arcs[right]) += penalty;
    }
  }
}

}  // namespace gecbench::maxmatch
