// Three-way sum-of-pairs alignment, pruned after Carrillo & Lipman 1988 (Felice & Briscoe 2015, section 2.2).
#pragma once

#include <array>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace gecbench::threeway {

constexpr int kMatch = 0, kMismatch = 3, kGap = 2;
constexpr int32_t kFar = 1 << 29;

enum Count { kTP, kTN, kFP, kFN, kFPN };
constexpr int kDetection = 0, kCorrection = 5, kBaseline = 10;
using Counts = std::array<int64_t, 15>;
using Column = std::array<int32_t, 3>;

struct Tokens {
  const int32_t* data = nullptr;
  int size = 0;

  int32_t operator[](int index) const { return data[index]; }
  Tokens part(int start, int end) const { return {data + start, end - start}; }
};

struct TooLong : std::runtime_error {
  TooLong() : std::runtime_error("the texts need more cells than allowed") {}
};

// Two texts: the distances of their prefixes, and every cell's excess over the best alignment.
struct PairTable {
  std::vector<int32_t> prefix, excess;
  int width = 0;
  int distance = 0;

  void fill(Tokens first, Tokens second);
  const int32_t* excess_row(int row) const { return excess.data() + static_cast<int64_t>(row) * width; }
};

// The cells of each row of a pair whose excess is within a slack, numbered from 0; -1 for others.
struct Kept {
  std::vector<int32_t> rank, members, start;

  void fill(const PairTable& pair, int rows, int slack);
  int size(int row) const { return start[row + 1] - start[row]; }
};

// Aligns one source and hypothesis with many references; results hold until the next call.
class Aligner {
 public:
  explicit Aligner(int64_t cell_limit) : cell_limit_(cell_limit) {}

  void begin(Tokens source, Tokens hypothesis);
  void align(Tokens reference);

  const PairTable& source_hypothesis() const { return source_hypothesis_; }

  Counts counts{};
  std::vector<Column> columns;
  int source_distance = 0, hypothesis_distance = 0, slack = 0;
  int64_t cells = 0;

 private:
  struct Step {
    int32_t cost;
    Column before;
  };

  void fill();
  void fill_row(int i);
  int32_t value(int i, int j, int k) const;
  int steps(int i, int j, int k, Step* found) const;
  void trace();
  void classify();
  void count_baseline();
  void check_pair(Tokens first, Tokens second) const;

  int64_t cell_limit_;
  Tokens source_, hypothesis_, reference_;
  PairTable source_hypothesis_, source_reference_, hypothesis_reference_;
  Kept kept_hypothesis_, kept_reference_;
  int kept_slack_ = -1;
  std::vector<int64_t> row_start_;
  std::vector<int32_t> table_;
};

}  // namespace gecbench::threeway
