// Three-way sum-of-pairs alignment (Felice & Briscoe 2015, section 2.2); its steps are numbered in the twin,
// gecbench/kernels/imeasure/alignment.py.
#pragma once

#include <unordered_map>
#include <vector>

#include "imeasure/pruned.hpp"

namespace gecbench::imeasure {

enum Count { kTP, kTN, kFP, kFN, kFPN };
constexpr int kDetection = 0, kCorrection = 5, kBaseline = 10;
using Counts = std::array<std::int64_t, 15>;

// Aligns one source and hypothesis with many references; results hold until the next call.
class Aligner {
 public:
  explicit Aligner(std::int64_t cell_limit) : cell_limit_(cell_limit), pruned_(cell_limit) {}

  void begin(TokenSpan source, TokenSpan hypothesis);
  void align(TokenSpan reference);

  // The table of source and hypothesis with its excess, and their distance.
  const PairTable& source_hypothesis();
  int distance() const { return unchanged_ ? 0 : pairs_.source_hypothesis.distance(); }
  std::int64_t cells() const { return walked_ + pruned_.cells; }

  Counts counts{};
  std::vector<Column> columns;
  int source_distance = 0, hypothesis_distance = 0, slack = 0;

 private:
  struct Step {
    int move, loss;
  };

  void align_two();
  void align_three();
  bool walk();
  Step first_step(const Column& cell, int left) const;
  int needed(const Column& cell) const;
  std::int64_t number(const Column& cell) const;
  void classify();
  void count_baseline();
  void check_pair(TokenSpan first, TokenSpan second) const;

  std::int64_t cell_limit_;
  Texts texts_;
  bool unchanged_ = false;  // the hypothesis is the source
  bool has_excess_ = false;
  Pairs pairs_;
  PrunedTable pruned_;
  std::int64_t walked_ = 0;
  std::unordered_map<std::int64_t, int> needed_;
  std::vector<int> left_before_;
};

}  // namespace gecbench::imeasure
