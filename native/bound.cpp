#include "bound.hpp"

#include <atomic>
#include <thread>
#include <vector>

namespace gecbench {
namespace {

struct Totals {
  std::int64_t correct = 0;
  std::int64_t proposed = 0;
  std::int64_t gold = 0;
};

struct Candidate {
  Totals totals;
  double f;
  double weight;  // proposed + beta² gold
};

Candidate candidate(const Totals& sums, const std::int64_t* counts, double beta_squared) {
  const Totals totals{sums.correct + counts[0], sums.proposed + counts[1], sums.gold + counts[2]};
  const double weight = beta_squared * static_cast<double>(totals.gold) + static_cast<double>(totals.proposed);
  const double f = weight == 0 ? 1.0 : (1 + beta_squared) * static_cast<double>(totals.correct) / weight;
  return {totals, f, weight};
}

bool better(const Candidate& one, const Candidate& other) {
  if (one.f != other.f) return one.f > other.f;
  if (one.totals.correct != other.totals.correct) return one.totals.correct > other.totals.correct;
  return one.weight < other.weight;
}

std::uint32_t present_members(const EditCounts& edits, std::int64_t sentence) {
  std::uint32_t members = 0;
  for (int annotator = 0; annotator < edits.annotators; ++annotator) {
    if (edits.present == nullptr || edits.present[sentence * edits.annotators + annotator]) {
      members |= std::uint32_t{1} << annotator;
    }
  }
  return members;
}

Totals choose(const EditCounts& edits, std::int64_t author, std::uint32_t subset,
              const std::vector<std::uint32_t>& present, double beta_squared) {
  Totals sums;
  const std::int64_t* counts = edits.counts + author * edits.sentences * edits.annotators * 3;
  for (const std::uint32_t here : present) {
    const std::uint32_t options = (subset & here) != 0 ? subset & here : subset;
    bool found = false;
    Candidate best{};
    for (int annotator = 0; annotator < edits.annotators; ++annotator) {
      if ((options >> annotator & 1U) == 0) continue;
      const Candidate next = candidate(sums, counts + annotator * 3, beta_squared);
      if (!found || better(next, best)) best = next;
      found = true;
    }
    sums = best.totals;
    counts += edits.annotators * 3;
  }
  return sums;
}

}  // namespace

void greedy_totals(const EditCounts& edits, const std::uint32_t* subsets, std::int64_t subset_count, double beta,
                   int threads, std::int64_t* totals) {
  std::vector<std::uint32_t> present;
  for (std::int64_t sentence = 0; sentence < edits.sentences; ++sentence) {
    present.push_back(present_members(edits, sentence));
  }
  std::atomic<std::int64_t> next{0};
  const auto work = [&] {
    for (std::int64_t task = next++; task < edits.authors * subset_count; task = next++) {
      const Totals sums =
        choose(edits, task / subset_count, subsets[task % subset_count], present, beta * beta);
      totals[task * 3] = sums.correct;
      totals[task * 3 + 1] = sums.proposed;
      totals[task * 3 + 2] = sums.gold;
    }
  };
  std::vector<std::thread> workers;
  for (int worker = 1; worker < threads && worker < edits.authors * subset_count; ++worker) workers.emplace_back(work);
  work();
  for (std::thread& worker : workers) worker.join();
}

}  // namespace gecbench
