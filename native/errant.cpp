// errant_compare keeps a dictionary from keys to edits for each annotator. Here an annotator's edits are sorted by key
// (stable, so that edits with the same key keep their order), and two annotators are compared by merging two sorted
// lists. The counts are the same, since they do not depend on the order of the keys.
#include "errant.hpp"

#include <algorithm>
#include <stdexcept>
#include <tuple>

#include "threads.hpp"

namespace gecbench::errant {
namespace {

constexpr std::int32_t kAny = -1;  // where the type or the correction is not part of the key

// An edit with its key. Detection by token makes an entry of each token.
struct Entry {
  std::int64_t start, end;
  std::int32_t compared_type, correction, type;
  std::size_t order;

  auto key() const { return std::tie(start, end, compared_type, correction); }
};

// The edits with the same key, in order of appearance. If the first is a noop, none of them counts.
struct Run {
  const Entry* begin;
  const Entry* end;
  bool noop;

  auto key() const { return begin->key(); }
  std::int64_t edits() const { return end - begin; }
};

struct Annotator {
  std::vector<Entry> entries;
  std::vector<Run> runs;  // sorted by key
};

class Reader {
 public:
  Reader(const EditRows& rows, const Selection& selection) : rows_(rows), selection_(selection) {}

  // The annotators of a sentence; valid until the next call.
  const std::vector<Annotator>& read(std::int64_t sentence) {
    const std::int64_t begin = rows_.row_offsets[sentence], end = rows_.row_offsets[sentence + 1];
    annotators_.resize(static_cast<std::size_t>(end - begin));
    for (std::int64_t row = begin; row < end; ++row) {
      Annotator& annotator = annotators_[static_cast<std::size_t>(row - begin)];
      annotator.entries.clear();
      annotator.runs.clear();
      for (std::int64_t edit = rows_.edit_offsets[row]; edit < rows_.edit_offsets[row + 1]; ++edit) {
        add(edit, annotator.entries);
      }
      group(annotator);
    }
    return annotators_;
  }

 private:
  void add(std::int64_t edit, std::vector<Entry>& entries) const {
    const std::int64_t start = rows_.starts[edit], end = rows_.ends[edit];
    const std::int32_t type = rows_.types[edit], correction = rows_.corrections[edit];
    const bool several = end - start > 1 || selection_.is_several[correction];
    if ((selection_.single && several) || (selection_.multi && !several) || selection_.is_dropped[type]) return;
    const auto put = [&](std::int64_t first, std::int64_t last, std::int32_t compared_type, std::int32_t text) {
      entries.push_back({first, last, compared_type, text, type, entries.size()});
    };
    switch (selection_.mode) {
      case Mode::correction:
        return put(start, end, kAny, correction);
      case Mode::correction_and_type:
        return put(start, end, type, correction);
      case Mode::span:
        return put(start, end, kAny, kAny);
      case Mode::token:
        if (start == -1) return put(-1, -1, kAny, kAny);
        const std::int64_t stop = start == end && start >= 0 ? start + 1 : end;
        for (std::int64_t token = start; token < stop; ++token) put(token, token + 1, kAny, kAny);
    }
  }

  void group(Annotator& annotator) const {
    auto& entries = annotator.entries;
    std::stable_sort(entries.begin(), entries.end(),
                     [](const Entry& left, const Entry& right) { return left.key() < right.key(); });
    const Entry* const last = entries.data() + entries.size();
    for (const Entry* begin = entries.data(); begin != last;) {
      const Entry* end = begin + 1;
      while (end != last && end->key() == begin->key()) ++end;
      annotator.runs.push_back({begin, selection_.once ? begin + 1 : end, selection_.is_noop[begin->type] != 0});
      begin = end;
    }
  }

  const EditRows& rows_;
  const Selection& selection_;
  std::vector<Annotator> annotators_;
};

// Counts as errant_compare does: a match counts the reference's edits with that key.
void count_pair(const std::vector<Run>& ours, const std::vector<Run>& theirs, std::vector<std::int64_t>& rows) {
  std::int64_t correct = 0, wrong = 0, missed = 0;
  auto other = theirs.begin();
  const auto miss = [&missed](const Run& run) { missed += run.noop ? 0 : run.edits(); };
  for (const Run& run : ours) {
    for (; other != theirs.end() && other->key() < run.key(); ++other) miss(*other);
    const bool match = other != theirs.end() && other->key() == run.key();
    if (!run.noop) (match ? correct : wrong) += match ? other->edits() : run.edits();
    if (match) ++other;
  }
  std::for_each(other, theirs.end(), miss);
  rows.insert(rows.end(), {correct, correct + wrong, correct + missed});
}

std::vector<Run> by_appearance(std::vector<Run> runs) {
  std::sort(runs.begin(), runs.end(),
            [](const Run& left, const Run& right) { return left.begin->order < right.begin->order; });
  return runs;
}

const Run* find(const std::vector<Run>& runs, const Run& wanted) {
  const auto found = std::lower_bound(runs.begin(), runs.end(), wanted,
                                      [](const Run& left, const Run& right) { return left.key() < right.key(); });
  return found != runs.end() && found->key() == wanted.key() ? &*found : nullptr;
}

// Adds the outcomes of a pair by type, those of the hypothesis first.
void tally_pair(const std::vector<Run>& ours, const std::vector<Run>& theirs, TypeCounts& counts) {
  const auto add = [&counts](const Run& run, int outcome) {
    for (const Entry* entry = run.begin; entry != run.end; ++entry) counts.add(entry->type, outcome);
  };
  for (const Run& run : by_appearance(ours)) {
    const Run* match = find(theirs, run);
    if (!run.noop) add(match == nullptr ? run : *match, match == nullptr ? 1 : 0);
  }
  for (const Run& run : by_appearance(theirs)) {
    if (!run.noop && find(ours, run) == nullptr) add(run, 2);
  }
}

}  // namespace

void TypeCounts::add(std::int32_t type, int outcome) {
  const auto [place, is_new] = places_.try_emplace(type, types.size());
  if (is_new) types.push_back({type, {0, 0, 0}});
  ++types[place->second].counts[outcome];
}

PairCounts count_pairs(const EditRows& ours, const EditRows& theirs, const Selection& selection) {
  PairCounts counts;
  Reader hypotheses(ours, selection), references(theirs, selection);
  run_watched([&] {
    for (std::int64_t sentence = 0; sentence < ours.sentences; ++sentence) {
      const auto &annotators = hypotheses.read(sentence), &judges = references.read(sentence);
      for (const Annotator& annotator : annotators) {
        look_for_stop();
        for (const Annotator& judge : judges) count_pair(annotator.runs, judge.runs, counts.rows);
      }
      counts.offsets.push_back(static_cast<std::int64_t>(counts.rows.size() / 3));
    }
  });
  return counts;
}

TypeCounts count_types(const EditRows& ours, const EditRows& theirs, const Selection& selection,
                       const std::int64_t* chosen) {
  TypeCounts counts;
  Reader hypotheses(ours, selection), references(theirs, selection);
  for (std::int64_t sentence = 0; sentence < ours.sentences; ++sentence) {
    const auto &annotators = hypotheses.read(sentence), &judges = references.read(sentence);
    const auto size = static_cast<std::int64_t>(judges.size()), place = chosen[sentence];
    if (place < 0 || place >= static_cast<std::int64_t>(annotators.size()) * size) {
      throw std::invalid_argument("a position in `chosen` is outside the pairs of its sentence");
    }
    tally_pair(annotators[place / size].runs, judges[place % size].runs, counts);
  }
  return counts;
}

}  // namespace gecbench::errant
