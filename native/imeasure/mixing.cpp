#include "imeasure/mixing.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_set>

namespace gecbench::imeasure {

namespace {

constexpr std::int64_t kMost = std::int64_t{1} << 62;

std::int64_t product(const std::vector<Group>& groups, const std::vector<int>& members) {
  std::int64_t count = 1;
  for (int g : members) {
    const std::int64_t choices = groups[g].choices();
    if (choices == 0) return 0;
    count = count > kMost / choices ? kMost : count * choices;
  }
  return count;
}

// Python's slice assignment (negative offsets count from the end, others are clipped), unless it would empty the text.
void replace(std::vector<std::int32_t>& tokens, int start, int end, TokenSpan replacement) {
  const int size = static_cast<int>(tokens.size());
  auto clip = [size](int offset) { return std::clamp(offset < 0 ? offset + size : offset, 0, size); };
  start = clip(start);
  end = std::max(start, clip(end));
  if (size - (end - start) + replacement.size == 0) return;
  tokens.erase(tokens.begin() + start, tokens.begin() + end);
  tokens.insert(tokens.begin() + start, replacement.data, replacement.data + replacement.size);
}

bool overlap(const Edit& first, const Edit& second) {
  return first.start < second.end && second.start < first.end;
}

std::string_view bytes(const std::vector<std::int32_t>& tokens) {
  return {reinterpret_cast<const char*>(tokens.data()), tokens.size() * sizeof(std::int32_t)};
}

bool advance(std::vector<int>& choice, const std::vector<Group>& groups, const std::vector<int>& members) {
  for (std::size_t n = members.size(); n-- > 0;) {
    if (++choice[n] < groups[members[n]].choices()) return true;
    choice[n] = 0;
  }
  return false;
}

}  // namespace

MixedSentence::MixedSentence(TokenSpan source, TokenSpan hypothesis, const std::vector<Group>& groups,
                             const Limits& limits, Tools& tools)
    : source_(source),
      hypothesis_(hypothesis),
      groups_(groups),
      limits_(limits),
      aligner_(tools.aligner),
      certificate_(tools.certificate) {
  for (std::size_t g = 0; g < groups.size(); ++g) order_.push_back(static_cast<int>(g));
  std::stable_sort(order_.begin(), order_.end(), [&groups](int a, int b) {
    return std::pair(groups[a].start(), groups[a].end()) < std::pair(groups[b].start(), groups[b].end());
  });
  work.asked = product(groups, order_);
}

Status MixedSentence::choose(const Counts& offset, const Objective& goal, std::int32_t* choices, Counts& counts) {
  counts.fill(0);
  std::fill(choices, choices + groups_.size(), -1);
  try {
    const std::vector<Segment> segments = certified_segments();
    work.segments = static_cast<std::int64_t>(segments.size());
    std::vector<std::vector<Counts>> rows(segments.size());
    for (std::size_t g = 0; g < segments.size(); ++g) {
      rows[g].reserve(segments[g].options.size());
      for (const Option& option : segments[g].options) rows[g].push_back(option.counts);
    }
    const auto picks = pick_best(rows, offset, goal, static_cast<std::size_t>(limits_.sums));  // step 3
    if (!picks) return kTooMany;
    for (std::size_t g = 0; g < segments.size(); ++g) {
      const Option& option = segments[g].options[(*picks)[g]];
      add(counts, option.counts);
      for (std::size_t n = 0; n < segments[g].groups.size(); ++n) {
        const int group = segments[g].groups[n];
        const bool taken = option.choice[n] < static_cast<int>(groups_[group].alternatives.size());
        choices[group] = taken ? option.choice[n] : -1;
      }
    }
  } catch (const TooLong&) {
    return kTooLong;
  } catch (const Refused& refusal) {
    return refusal.status;
  }
  return kDone;
}

// Segments that no optimal alignment of any mixed reference crosses; doubtful cuts are dropped.
std::vector<Segment> MixedSentence::certified_segments() {
  // Step 1
  std::vector<Cut> bounds{{0, 0}};
  if (work.asked > limits_.listed) {
    for (const Cut& cut : find_cuts(blocks())) bounds.push_back(cut);
  }
  bounds.push_back({source_.size, hypothesis_.size});
  // Step 2
  std::vector<Segment> segments;
  for (std::size_t g = 0; g + 1 < bounds.size(); ++g) segments.push_back(segment(bounds[g], bounds[g + 1]));
  // The certificate
  for (int cut = doubtful_cut(bounds, segments); cut >= 0; cut = doubtful_cut(bounds, segments)) {
    bounds.erase(bounds.begin() + cut + 1);
    segments.erase(segments.begin() + cut + 1);
    segments[cut] = segment(bounds[cut], bounds[cut + 1]);
  }
  return segments;
}

int MixedSentence::doubtful_cut(const std::vector<Cut>& bounds, const std::vector<Segment>& segments) {
  if (segments.size() == 1) return -1;
  std::vector<int> sources, hypotheses, charges, slack;
  std::vector<std::vector<Branch>> plain, by_source, by_hypothesis;
  for (const Segment& segment : segments) {
    plain.push_back({{segment.hypothesis, segment.distance}});
    by_source.emplace_back();
    by_hypothesis.emplace_back();
    slack.push_back(0);
    for (const Option& option : segment.options) {
      by_source.back().push_back({option.span(), option.source_distance});
      by_hypothesis.back().push_back({option.span(), option.hypothesis_distance});
      slack.back() = std::max(slack.back(), option.slack);
    }
  }
  for (std::size_t cut = 1; cut + 1 < bounds.size(); ++cut) {
    sources.push_back(bounds[cut].source);
    hypotheses.push_back(bounds[cut].hypothesis);
    charges.push_back(slack[cut - 1] + slack[cut]);
  }
  int doubtful = certificate_.failing_cut(source_, sources, plain, charges);
  if (doubtful < 0) doubtful = certificate_.failing_cut(source_, sources, by_source, charges);
  if (doubtful < 0) doubtful = certificate_.failing_cut(hypothesis_, hypotheses, by_hypothesis, charges);
  return doubtful;
}

// List the references of a stretch and align each.
Segment MixedSentence::segment(Cut start, Cut end) {
  Segment found;
  const bool whole = end.source - start.source == source_.size;
  for (int g : order_) {
    const int place = groups_[g].start();
    if (whole || (start.source <= place && place <= end.source)) found.groups.push_back(g);
  }
  const std::int64_t count = product(groups_, found.groups);
  const TokenSpan source = source_.part(start.source, end.source);
  found.hypothesis = hypothesis_.part(start.hypothesis, end.hypothesis);
  const std::int64_t pair = (std::int64_t(source.size) + 1) * (std::int64_t(found.hypothesis.size) + 1);
  if (count > limits_.segment || (count > 0 && pair > limits_.work / count)) throw Refused{kTooMany};
  aligner_.begin(source, found.hypothesis);
  found.distance = aligner_.distance();
  if (count > 0) found.options = list_options(found.groups, source, start.source);
  if (found.options.empty()) throw Refused{kCollides};
  for (Option& option : found.options) {
    if (aligner_.cells() > limits_.work) throw Refused{kTooMany};
    aligner_.align(option.span());
    option.counts = aligner_.counts;
    option.source_distance = aligner_.source_distance;
    option.hypothesis_distance = aligner_.hypothesis_distance;
    option.slack = aligner_.slack;
  }
  work.alignments += static_cast<std::int64_t>(found.options.size());
  work.cells += aligner_.cells();
  return found;
}

// The distinct references of a stretch, later groups varying fastest.
std::vector<Option> MixedSentence::list_options(const std::vector<int>& members, TokenSpan source, int shift) {
  std::vector<Option> options;
  std::vector<int> choice(members.size(), 0);
  std::vector<std::int32_t> tokens;
  std::unordered_set<std::string_view> seen;
  do {
    if (!apply(members, choice, source, shift, tokens) || seen.count(bytes(tokens)) > 0) continue;
    options.push_back({choice, tokens, {}, 0, 0, 0});
    seen.insert(bytes(options.back().tokens));
  } while (advance(choice, groups_, members));
  return options;
}

// Apply the chosen edits from right to left; not if two of them have the same span (docs/imeasure.md, section 3).
bool MixedSentence::apply(const std::vector<int>& members, const std::vector<int>& choice, TokenSpan source, int shift,
                          std::vector<std::int32_t>& tokens) {
  edits_.clear();
  for (std::size_t n = 0; n < choice.size(); ++n) {
    const Group& group = groups_[members[n]];
    if (choice[n] == static_cast<int>(group.alternatives.size())) continue;
    for (const Edit& edit : group.alternatives[choice[n]]) edits_.push_back(&edit);
  }
  auto span = [](const Edit* edit) { return std::pair(edit->start, edit->end); };
  std::sort(edits_.begin(), edits_.end(), [&span](const Edit* a, const Edit* b) { return span(a) > span(b); });
  for (std::size_t n = 1; n < edits_.size(); ++n) {
    if (span(edits_[n]) == span(edits_[n - 1])) return false;
  }
  tokens.assign(source.data, source.data + source.size);
  for (const Edit* edit : edits_) replace(tokens, edit->start - shift, edit->end - shift, edit->tokens);
  return true;
}

// Extents of groups, joined where they overlap or touch; none if an edit is out of range.
std::vector<std::pair<int, int>> MixedSentence::blocks() const {
  for (const Group& group : groups_) {
    for (const auto& alternative : group.alternatives) {
      for (const Edit& edit : alternative) {
        if (edit.start < 0 || edit.start > edit.end || edit.end > source_.size) return {};
      }
    }
  }
  std::vector<std::vector<int>> joined;
  for (int g : order_) joined.push_back({g});
  for (std::size_t before = joined.size() + 1; joined.size() < before;) {
    before = joined.size();
    std::vector<std::vector<int>> next;
    for (const auto& block : joined) {
      if (!next.empty() && groups_[block[0]].start() <= reach(next.back())) {
        next.back().insert(next.back().end(), block.begin(), block.end());
      } else {
        next.push_back(block);
      }
    }
    joined = std::move(next);
  }
  std::vector<std::pair<int, int>> extents;
  for (const auto& block : joined) extents.emplace_back(groups_[block[0]].start(), reach(block));
  return extents;
}

// Where the edits of a block end; overlapping ones may reach further, by as much as they shorten the text.
int MixedSentence::reach(const std::vector<int>& block) const {
  int end = 0, longest = 0;
  std::vector<std::pair<std::pair<int, std::size_t>, const Edit*>> edits;
  bool overlaps = false;
  for (int g : block) {
    end = std::max(end, groups_[g].end());
    int most = 0;
    for (std::size_t a = 0; a < groups_[g].alternatives.size(); ++a) {
      int length = 0;
      for (const Edit& edit : groups_[g].alternatives[a]) {
        length += edit.end - edit.start;
        for (const auto& [owner, other] : edits) {
          overlaps = overlaps || ((owner.first != g || owner.second == a) && overlap(edit, *other));
        }
        edits.push_back({{g, a}, &edit});
      }
      most = std::max(most, length);
    }
    longest += most;
  }
  return overlaps ? std::min(source_.size, end + longest) : end;
}

// Between blocks, the middle of the longest unedited run that the hypothesis keeps.
std::vector<Cut> MixedSentence::find_cuts(const std::vector<std::pair<int, int>>& blocks) {
  std::vector<Cut> cuts;
  if (blocks.size() < 2) return cuts;
  aligner_.begin(source_, hypothesis_);
  const PairTable& pair = aligner_.source_hypothesis();
  for (std::size_t n = 0; n + 1 < blocks.size(); ++n) {
    const int left = blocks[n].second, right = blocks[n + 1].first;
    Cut best{0, 0};
    int best_run = 0;
    for (int i = left + 1; i < right; ++i) {
      const std::int32_t* row = pair.excess_row(i);
      if (std::count(row, row + pair.width(), 0) != 1) continue;
      const Cut place{i, static_cast<int>(std::find(row, row + pair.width(), 0) - row)};
      const int run = kept_run(place, left, right);
      if (run > best_run) best = place, best_run = run;
    }
    if (best_run > 0) cuts.push_back(best);
  }
  return cuts;
}

// How many tokens on both sides of a place are unedited and kept by the hypothesis.
int MixedSentence::kept_run(Cut place, int left, int right) const {
  const auto [i, j] = place;
  int run = 0;
  while (i - run > left && i + run < right && j > run && j + run < hypothesis_.size &&
         source_[i - run - 1] == hypothesis_[j - run - 1] && source_[i + run] == hypothesis_[j + run]) {
    ++run;
  }
  return run;
}

}  // namespace gecbench::imeasure
