// The official converter's clustering, sentence by sentence; sentences have few edits, so every pair is compared.
#include "grouping.hpp"

#include <algorithm>
#include <utility>

#include "threads.hpp"

namespace gecbench {
namespace {

using Rows = std::vector<std::int64_t>;

class SentenceGrouper {
 public:
  explicit SentenceGrouper(const AnnotatedEdits& edits) : edits_(edits) {}

  void add(std::int64_t sentence, GroupLayout& layout) {
    cluster(edits_.sentence_offsets[sentence], edits_.sentence_offsets[sentence + 1]);
    for (const Rows& rows : clusters_) {
      split_by_annotator(rows);
      for (std::size_t n = 0; n < alternatives_.size(); ++n) {
        if (!is_repeated(n)) add_alternative(alternatives_[n], layout);
      }
      layout.alternative_offsets.push_back(static_cast<std::int64_t>(layout.edit_offsets.size()) - 1);
      const bool all = static_cast<std::int64_t>(alternatives_.size()) == edits_.people[sentence];
      layout.optional.push_back(all ? 0 : 1);
    }
    layout.group_offsets.push_back(static_cast<std::int64_t>(layout.optional.size()));
    layout.bridged.push_back(is_bridged() ? 1 : 0);
  }

 private:
  using Span = std::pair<std::int32_t, std::int32_t>;
  using Alternative = std::vector<Rows>;  // edits by position, as lists of edits with the same span

  Span span(std::int64_t row) const { return {edits_.spans[2 * row], edits_.spans[2 * row + 1]}; }

  std::int64_t length(std::int64_t row) const {
    return std::int64_t{edits_.spans[2 * row + 1]} - edits_.spans[2 * row];
  }

  // Whether two edits exclude each other: same span, a shared token, or an insertion inside the other.
  bool overlap(std::int64_t left, std::int64_t right) const {
    const Span first = span(left), second = span(right);
    return first == second || (first.first < second.second && second.first < first.second);
  }

  // The official converter's clusters:
  // 1. Take the edits by decreasing length (stable).
  // 2. Each edit joins the first cluster with an edit that it overlaps, or starts a new cluster.
  // 3. Clusters are never merged. They are sorted by the span of their first edit, which is their longest.
  void cluster(std::int64_t begin, std::int64_t end) {
    order_.resize(static_cast<std::size_t>(end - begin));
    for (std::int64_t row = begin; row < end; ++row) order_[static_cast<std::size_t>(row - begin)] = row;
    std::stable_sort(order_.begin(), order_.end(),
                     [this](std::int64_t left, std::int64_t right) { return length(left) > length(right); });  // 1
    clusters_.clear();
    for (const std::int64_t row : order_) {  // 2
      look_for_stop();
      const auto touches = [&](std::int64_t other) { return overlap(row, other); };
      const auto joined = std::find_if(clusters_.begin(), clusters_.end(), [&](const Rows& rows) {
        return std::any_of(rows.begin(), rows.end(), touches);
      });
      if (joined == clusters_.end()) {
        clusters_.push_back({row});
      } else {
        joined->push_back(row);
      }
    }
    std::stable_sort(clusters_.begin(), clusters_.end(), [this](const Rows& left, const Rows& right) {
      return span(left.front()) < span(right.front());
    });  // 3
  }

  void split_by_annotator(const Rows& rows) {
    order_ = rows;
    std::stable_sort(order_.begin(), order_.end(), [this](std::int64_t left, std::int64_t right) {
      return std::make_pair(edits_.annotators[left], span(left)) <
             std::make_pair(edits_.annotators[right], span(right));
    });
    alternatives_.clear();
    for (std::size_t n = 0; n < order_.size(); ++n) {
      const bool same_annotator = n > 0 && edits_.annotators[order_[n - 1]] == edits_.annotators[order_[n]];
      if (!same_annotator) alternatives_.emplace_back();
      if (!same_annotator || span(order_[n - 1]) != span(order_[n])) alternatives_.back().emplace_back();
      alternatives_.back().back().push_back(order_[n]);
    }
  }

  bool is_repeated(std::size_t number) {
    look_for_stop();
    return std::any_of(alternatives_.begin(), alternatives_.begin() + static_cast<std::ptrdiff_t>(number),
                       [&](const Alternative& earlier) { return equal(earlier, alternatives_[number]); });
  }

  bool equal(const Alternative& left, const Alternative& right) {
    return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                      [this](const Rows& ours, const Rows& theirs) {
                        if (span(ours.front()) != span(theirs.front())) return false;
                        join(ours, first_);
                        join(theirs, second_);
                        return first_ == second_;
                      });
  }

  void join(const Rows& rows, std::vector<std::int32_t>& tokens) const {
    tokens.clear();
    for (const std::int64_t row : rows) tokens.insert(tokens.end(), edits_.texts[row].begin(), edits_.texts[row].end());
  }

  static void add_alternative(const Alternative& alternative, GroupLayout& layout) {
    for (const Rows& rows : alternative) {
      layout.members.insert(layout.members.end(), rows.begin(), rows.end());
      layout.member_offsets.push_back(static_cast<std::int64_t>(layout.members.size()));
    }
    layout.edit_offsets.push_back(static_cast<std::int64_t>(layout.member_offsets.size()) - 1);
  }

  bool is_bridged() const {
    for (std::size_t n = 1; n < clusters_.size(); ++n) {
      for (const std::int64_t one : clusters_[n]) {
        look_for_stop();
        for (std::size_t earlier = 0; earlier < n; ++earlier) {
          for (const std::int64_t other : clusters_[earlier]) {
            if (overlap(one, other)) return true;
          }
        }
      }
    }
    return false;
  }

  const AnnotatedEdits& edits_;
  Rows order_;
  std::vector<Rows> clusters_;
  std::vector<Alternative> alternatives_;
  std::vector<std::int32_t> first_, second_;
};

}  // namespace

GroupLayout group_edits(const AnnotatedEdits& edits) {
  GroupLayout layout;
  SentenceGrouper grouper(edits);
  run_watched([&] {
    for (std::int64_t sentence = 0; sentence < edits.sentences; ++sentence) grouper.add(sentence, layout);
  });
  return layout;
}

}  // namespace gecbench
