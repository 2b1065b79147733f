// errant_compare keeps a dictionary from keys to edits for each annotator. Here an annotator's edits are sorted by key
// (stable, so that edits with the same key keep their order), and two annotators are compared by merging two sorted
// lists. Keys are views of the file's text, so nothing is copied.
#include "errant.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "m2.hpp"
#include "tokens.hpp"

namespace gecbench::errant {
namespace {

constexpr std::size_t kMaxAnnotators = 64;
constexpr std::int32_t kMaxTokens = 1000000;  // in one edit

// An edit with the key that it is compared by. Detection by token makes one of each token.
struct Entry {
  std::int32_t start, end;
  std::string_view compared_type, correction, type;
  std::size_t order;

  auto key() const { return std::tie(start, end, compared_type, correction); }
};

// The edits with one key, in order of appearance. If the first one is a noop, none of them counts.
struct Run {
  const Entry* begin;
  const Entry* end;

  auto key() const { return begin->key(); }
  bool noop() const { return begin->type == "noop"; }
  std::int64_t edits() const { return end - begin; }
};

struct Annotator {
  std::int32_t number;
  std::vector<Entry> entries;
  std::vector<Run> runs;  // sorted by key
};

bool has_several_words(std::string_view text) {
  int words = 0;
  split_line(text, true, [&words](std::string_view) { ++words; });
  return words > 1;
}

class Reader {
 public:
  explicit Reader(const Selection& selection) : selection_(selection) {}

  // Parses a block into annotators, in order of appearance.
  bool read(std::string_view block, std::vector<Annotator>& annotators) const {
    annotators.clear();
    take(block, "\n");
    while (!block.empty()) {
      EditLine edit;
      if (!read_edit_line(take(block, "\n"), edit) || edit.end - edit.start > kMaxTokens) return false;
      auto found = std::find_if(annotators.begin(), annotators.end(),
                                [&edit](const Annotator& one) { return one.number == edit.annotator; });
      if (found == annotators.end()) found = annotators.insert(found, Annotator{edit.annotator, {}, {}});
      if (annotators.size() > kMaxAnnotators) return false;
      add(edit, found->entries);
    }
    if (annotators.empty()) {
      annotators.push_back(Annotator{0, {}, {}});
      add({-1, -1, 0, "noop", "-NONE-", 6}, annotators[0].entries);
    }
    for (Annotator& annotator : annotators) group(annotator);
    return true;
  }

 private:
  void add(const EditLine& edit, std::vector<Entry>& entries) const {
    if (selection_.single || selection_.multi) {
      const bool several = edit.end - edit.start > 1 || has_several_words(edit.corrections);
      if ((selection_.single && several) || (selection_.multi && !several)) return;
    }
    const auto& filtered = selection_.filtered;
    const bool corrects = selection_.mode == Mode::correction || selection_.mode == Mode::correction_and_type;
    if (corrects && edit.type == "UNK") return;
    if (std::find(filtered.begin(), filtered.end(), edit.type) != filtered.end()) return;
    const auto put = [&](std::int32_t start, std::int32_t end, std::string_view type, std::string_view correction) {
      entries.push_back({start, end, type, correction, edit.type, entries.size()});
    };
    if (corrects) {
      const bool typed = selection_.mode == Mode::correction_and_type;
      put(edit.start, edit.end, typed ? edit.type : std::string_view(), edit.corrections);
    } else if (selection_.mode == Mode::span || edit.start == -1) {
      put(edit.start, selection_.mode == Mode::span ? edit.end : -1, {}, {});
    } else {
      const std::int32_t end = edit.start == edit.end && edit.start >= 0 ? edit.start + 1 : edit.end;
      for (std::int32_t token = edit.start; token < end; ++token) put(token, token + 1, {}, {});
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
      annotator.runs.push_back({begin, selection_.once ? begin + 1 : end});
      begin = end;
    }
  }

  const Selection& selection_;
};

// Counts as errant_compare does: a match counts the reference's edits with that key.
void count_pair(const std::vector<Run>& ours, const std::vector<Run>& theirs, std::vector<std::int64_t>& rows) {
  std::int64_t correct = 0, wrong = 0, missed = 0;
  auto other = theirs.begin();
  const auto miss = [&missed](const Run& run) { missed += run.noop() ? 0 : run.edits(); };
  for (const Run& run : ours) {
    for (; other != theirs.end() && other->key() < run.key(); ++other) miss(*other);
    const bool match = other != theirs.end() && other->key() == run.key();
    if (!run.noop()) (match ? correct : wrong) += match ? other->edits() : run.edits();
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
    if (!run.noop()) add(match == nullptr ? run : *match, match == nullptr ? 1 : 0);
  }
  for (const Run& run : by_appearance(theirs)) {
    if (!run.noop() && find(ours, run) == nullptr) add(run, 2);
  }
}

std::string_view stripped(std::string_view text) {
  const auto blank = [](char byte) { return byte == ' ' || (byte >= '\t' && byte <= '\r'); };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

template <typename Visit>
bool visit_sentences(std::string_view hypothesis, std::string_view reference, const Selection& selection, Visit visit) {
  for (std::string_view* text : {&hypothesis, &reference}) {
    *text = stripped(*text);
    if (text->empty() || text->find('\r') != std::string_view::npos) return false;
  }
  const Reader reader(selection);
  std::vector<Annotator> ours, theirs;
  while (!hypothesis.empty() && !reference.empty()) {
    const std::string_view one = take(hypothesis, "\n\n"), other = take(reference, "\n\n");
    const std::string_view source = one.substr(0, one.find('\n'));
    if (source != other.substr(0, other.find('\n')) || source.substr(0, 2) != "S ") return false;
    if (!reader.read(one, ours) || !reader.read(other, theirs)) return false;
    visit(ours, theirs);
  }
  return hypothesis.empty() && reference.empty();
}

}  // namespace

void TypeCounts::add(std::string_view type, int outcome) {
  const auto [place, is_new] = places_.try_emplace(type, types.size());
  if (is_new) types.push_back({type, {0, 0, 0}});
  ++types[place->second].counts[outcome];
}

bool count_files(std::string_view hypothesis, std::string_view reference, const Selection& selection,
                 PairCounts& counts) {
  return visit_sentences(hypothesis, reference, selection, [&counts](const auto& ours, const auto& theirs) {
    for (const Annotator& annotator : ours) {
      for (const Annotator& judge : theirs) count_pair(annotator.runs, judge.runs, counts.rows);
    }
    counts.offsets.push_back(static_cast<std::int64_t>(counts.rows.size() / 3));
  });
}

bool tally_files(std::string_view hypothesis, std::string_view reference, const Selection& selection,
                 const std::int64_t* chosen, std::int64_t sentences, TypeCounts& counts) {
  std::int64_t sentence = 0;
  bool fits = true;
  const bool parsed = visit_sentences(hypothesis, reference, selection, [&](const auto& ours, const auto& theirs) {
    const auto judges = static_cast<std::int64_t>(theirs.size());
    const std::int64_t place = sentence < sentences ? chosen[sentence] : -1;
    fits = fits && place >= 0 && place < static_cast<std::int64_t>(ours.size()) * judges;
    if (fits) tally_pair(ours[place / judges].runs, theirs[place % judges].runs, counts);
    ++sentence;
  });
  return parsed && fits && sentence == sentences;
}

}  // namespace gecbench::errant
