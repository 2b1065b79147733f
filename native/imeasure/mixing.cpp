// The steps are numbered in mixing.hpp.
#include "imeasure/mixing.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_set>

namespace gecbench::imeasure {

namespace {

constexpr std::int64_t kMaxCombinations = std::int64_t{1} << 62;
constexpr std::int64_t kMostOptions = 1 << 12;  // references of a segment of a lattice

// The number of combinations of choices, at most kMaxCombinations.
std::int64_t count_combinations(const std::vector<Group>& groups, const std::vector<int>& members) {
  std::int64_t count = 1;
  for (int g : members) {
    const std::int64_t choices = groups[g].choices();
    if (choices == 0) return 0;
    count = count > kMaxCombinations / choices ? kMaxCombinations : count * choices;
  }
  return count;
}

// tokens[start:end] = replacement as in Python (negative offsets count from the end, others are clipped), unless that
// would leave nothing of a whole text (docs/metrics/imeasure.md §3).
void replace(std::vector<std::int32_t>& tokens, std::int64_t start, std::int64_t end, TokenSpan replacement,
             bool whole) {
  const auto size = static_cast<std::int64_t>(tokens.size());
  auto clip = [size](std::int64_t offset) {
    return std::clamp<std::int64_t>(offset < 0 ? offset + size : offset, 0, size);
  };
  start = clip(start);
  end = std::max(start, clip(end));
  if (whole && size - (end - start) + replacement.size == 0) return;
  tokens.erase(tokens.begin() + start, tokens.begin() + end);
  tokens.insert(tokens.begin() + start, replacement.data, replacement.data + replacement.size);
}

std::string_view bytes(const std::vector<std::int32_t>& tokens) {
  return {reinterpret_cast<const char*>(tokens.data()), tokens.size() * sizeof(std::int32_t)};
}

// The next combination of choices, the last one varying fastest; false after the last combination.
bool advance(std::vector<int>& choice, const std::vector<Group>& groups, const std::vector<int>& members) {
  for (std::size_t n = members.size(); n-- > 0;) {
    if (++choice[n] < groups[members[n]].choices()) return true;
    choice[n] = 0;
  }
  return false;
}

}  // namespace

// Error groups

int Group::start() const {
  int first = INT32_MAX;
  for (const auto& alternative : alternatives) {
    for (const Edit& edit : alternative) first = std::min(first, edit.start);
  }
  return first == INT32_MAX ? 0 : first;
}

int Group::end() const {
  int last = INT32_MIN;
  for (const auto& alternative : alternatives) {
    for (const Edit& edit : alternative) last = std::max(last, edit.end);
  }
  return last == INT32_MIN ? 0 : last;
}

std::vector<Group> GroupArrays::groups(std::int64_t sentence) const {
  std::vector<Group> found;
  for (std::int64_t g = group_offsets[sentence]; g < group_offsets[sentence + 1]; ++g) {
    found.push_back({{}, optional[g] != 0});
    for (std::int64_t a = alternative_offsets[g]; a < alternative_offsets[g + 1]; ++a) {
      Alternative alternative;
      for (std::int64_t e = edit_offsets[a]; e < edit_offsets[a + 1]; ++e) {
        alternative.push_back({spans[2 * e], spans[2 * e + 1], corrections[e]});
      }
      found.back().alternatives.push_back(std::move(alternative));
    }
  }
  return found;
}

// Cut points

int CutPointProof::find_unproven(TokenSpan text, const std::vector<int>& cuts,
                                 const std::vector<std::vector<Branch>>& segments, const std::vector<int>& charges) {
  const int size = text.size + 1;
  passed_.resize(size);
  for (int i = 0; i < size; ++i) passed_[i] = kGap * i;
  missed_.assign(size, kFar);
  after_missing_.assign(size, kFar);
  for (std::size_t number = 0; number < segments.size(); ++number) {
    const bool last = number == cuts.size();
    const int cut = last ? text.size : cuts[number];
    if (!last) through_branches(text, passed_, segments[number], after_passing_);
    if (number > 0) {
      // Paths that missed cuts end here if they pass this one. They must cost more than distances and charges.
      through_branches(text, missed_, segments[number], after_missing_);
      for (int i = 0; i <= cut; ++i) {
        if (after_missing_[i] + kGap * (cut - i) <= 0) return static_cast<int>(number) - 1;
      }
    }
    if (last) break;
    miss(cut, charges[number]);
    // Paths that pass this cut start again, with no cost.
    for (int i = 0; i < size; ++i) passed_[i] = i < cut ? kFar : kGap * (i - cut);
  }
  return -1;
}

// Least cost of being at each position of the text at the end of the segment. The rows of tokens that a branch shares
// with the one before it are reused.
void CutPointProof::through_branches(TokenSpan text, const std::vector<std::int32_t>& costs,
                                     const std::vector<Branch>& branches, std::vector<std::int32_t>& arrived) {
  const std::int64_t size = text.size + 1;
  arrived.assign(size, kFar);
  rows_.assign(costs.begin(), costs.end());
  TokenSpan known;
  for (const Branch& branch : branches) {
    const TokenSpan tokens = branch.tokens, inner = tokens.part(0, std::max(0, tokens.size - 1));
    const auto shared = std::mismatch(known.begin(), known.end(), inner.begin(), inner.end()).first - known.begin();
    rows_.resize((tokens.size + 1) * size);
    std::int32_t* row = rows_.data() + shared * size;
    for (auto n = shared; n < tokens.size; ++n, row += size) {
      advance(text, tokens[n], n + 1 == tokens.size, row, row + size);
    }
    for (std::int64_t i = 0; i < size; ++i) arrived[i] = std::min(arrived[i], row[i] - branch.distance);
    known = inner;
  }
}

// Aligns one token of the chain with the text. After the last token, steps over the text alone are left out: they
// follow the cut, or miss it (see miss()).
void CutPointProof::advance(TokenSpan text, std::int32_t token, bool last, const std::int32_t* row,
                            std::int32_t* next) const {
  next[0] = row[0] + kGap;
  for (int i = 0; i < text.size; ++i) {
    next[i + 1] = std::min(row[i + 1] + kGap, row[i] + (token == text[i] ? kMatch : kMismatch));
  }
  if (last) return;
  for (int i = 0; i < text.size; ++i) next[i + 1] = std::min(next[i + 1], next[i] + kGap);
}

// Least cost of leaving the point between two segments without having been at the cut, less its charge.
void CutPointProof::miss(int cut, int charge) {
  std::int32_t left = kFar;
  for (std::size_t i = 0; i < missed_.size(); ++i) {
    left = static_cast<int>(i) == cut ? kFar : std::min(std::min(after_passing_[i], after_missing_[i]), left + kGap);
    missed_[i] = left < kFar / 2 ? left - charge : kFar;
  }
}

// Mixed references of a sentence

MixedSentence::MixedSentence(TokenSpan source, TokenSpan hypothesis, const std::vector<Group>& groups,
                             const Limits& limits, Workspace& workspace)
    : source_(source),
      hypothesis_(hypothesis),
      groups_(groups),
      limits_(limits),
      aligner_(workspace.aligner),
      proof_(workspace.proof) {
  for (std::size_t g = 0; g < groups.size(); ++g) order_.push_back(static_cast<int>(g));
  std::stable_sort(order_.begin(), order_.end(), [&groups](int a, int b) {
    return std::pair(groups[a].start(), groups[a].end()) < std::pair(groups[b].start(), groups[b].end());
  });
  work.asked = count_combinations(groups, order_);
}

Status MixedSentence::choose(const Counts& offset, const Objective& goal, std::int32_t* choices, Counts& counts) {
  counts.fill(0);
  std::fill(choices, choices + groups_.size(), -1);
  try {
    Layers layers;
    std::vector<Segment> segments;
    try {
      segments = proven_segments();
      for (const Segment& segment : segments) {
        layers.emplace_back();
        for (std::size_t n = 0; n < segment.options.size(); ++n) {
          layers.back().push_back({n, segment.options[n].counts, 0, 0});
        }
      }
    } catch (const Refused& refusal) {
      if (refusal.status != kTooMany || limits_.lattice == 0) throw;
      segments = lattice_segments(layers);
    }
    work.segments = static_cast<std::int64_t>(segments.size());
    const auto path = pick_best(layers, offset, goal, static_cast<std::size_t>(limits_.sums));  // step 3
    if (!path) return kTooMany;
    for (std::size_t g = 0; g < segments.size(); ++g) {
      const Edge& edge = *(*path)[g];
      add(counts, edge.counts);
      for (std::size_t n = 0; n < segments[g].groups.size(); ++n) {
        const int group = segments[g].groups[n], choice = segments[g].options[edge.option].choice[n];
        choices[group] = choice < static_cast<int>(groups_[group].alternatives.size()) ? choice : -1;
      }
    }
  } catch (const TooLong&) {
    return kTooLong;
  } catch (const Refused& refusal) {
    return refusal.status;
  }
  return kDone;
}

// Steps 1 and 2: segments such that every optimal alignment of every mixed reference passes all their bounds.
std::vector<Segment> MixedSentence::proven_segments() {
  // Step 1
  std::vector<Cut> bounds{{0, 0}};
  if (work.asked > limits_.listed) {
    for (const Cut& cut : find_cuts(blocks())) bounds.push_back(cut);
  }
  bounds.push_back({source_.size, hypothesis_.size});
  // Step 2
  std::vector<Segment> segments;
  for (std::size_t g = 0; g + 1 < bounds.size(); ++g) segments.push_back(segment(bounds[g], bounds[g + 1]));
  // Drop cut points without a proof.
  for (int cut = find_unproven_cut(bounds, segments); cut >= 0; cut = find_unproven_cut(bounds, segments)) {
    bounds.erase(bounds.begin() + cut + 1);
    segments.erase(segments.begin() + cut + 1);
    segments[cut] = segment(bounds[cut], bounds[cut + 1]);
  }
  return segments;
}

// A cut point without a proof for one of the three pairs of texts, -1 if there is none.
int MixedSentence::find_unproven_cut(const std::vector<Cut>& bounds, const std::vector<Segment>& segments) {
  if (segments.size() == 1) return -1;
  std::vector<int> sources, hypotheses, charges, slack;
  std::vector<std::vector<Branch>> plain, by_source, by_hypothesis;
  const std::int64_t longest = std::int64_t{std::max(source_.size, hypothesis_.size)} + 1;
  for (const Segment& segment : segments) {
    plain.push_back({{segment.hypothesis, segment.distance}});
    by_source.emplace_back();
    by_hypothesis.emplace_back();
    slack.push_back(0);
    for (const Option& option : segment.options) {
      // The proof aligns it with a whole text.
      if ((std::int64_t{option.span().size} + 1) * longest > limits_.cells) throw TooLong();
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
  int unproven = proof_.find_unproven(source_, sources, plain, charges);
  if (unproven < 0) unproven = proof_.find_unproven(source_, sources, by_source, charges);
  if (unproven < 0) unproven = proof_.find_unproven(hypothesis_, hypotheses, by_hypothesis, charges);
  return unproven;
}

// Step 2: lists the references of a segment and aligns each.
Segment MixedSentence::segment(Cut start, Cut end) {
  Segment found;
  found.groups = groups_between(start.source, end.source);
  const std::int64_t count = count_combinations(groups_, found.groups);
  const TokenSpan source = source_.part(start.source, end.source);
  found.hypothesis = hypothesis_.part(start.hypothesis, end.hypothesis);
  const std::int64_t pair = (std::int64_t(source.size) + 1) * (std::int64_t(found.hypothesis.size) + 1);
  if (count > limits_.segment || (count > 0 && pair > limits_.work / count)) throw Refused{kTooMany};
  aligner_.begin(source, found.hypothesis);
  found.distance = aligner_.distance();
  if (count > 0) found.options = list_options(found.groups, start.source, end.source);
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

// The groups of a segment of the source, in order.
std::vector<int> MixedSentence::groups_between(int start, int end) const {
  const bool last = end == source_.size, whole = last && start == 0;
  std::vector<int> found;
  for (int g : order_) {
    const int place = groups_[g].start();
    if (whole || (start <= place && place < end) || (last && place == end)) found.push_back(g);
  }
  return found;
}

// The distinct references of a segment, later groups varying fastest.
std::vector<Option> MixedSentence::list_options(const std::vector<int>& members, int start, int end) {
  std::vector<Option> options;
  std::vector<int> choice(members.size(), 0);
  std::vector<std::int32_t> tokens;
  std::unordered_set<std::string_view> seen;
  do {
    if (!apply(members, choice, start, end, tokens) || seen.count(bytes(tokens)) > 0) continue;
    options.push_back({choice, tokens, {}, 0, 0, 0});
    seen.insert(bytes(options.back().tokens));
  } while (advance(choice, groups_, members));
  return options;
}

// Applies the chosen edits from right to left; false if two of them have the same span (docs/metrics/imeasure.md §3).
bool MixedSentence::apply(const std::vector<int>& members, const std::vector<int>& choice, int start, int end,
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
  const TokenSpan source = source_.part(start, end);
  const bool whole = source.size == source_.size;
  tokens.assign(source.begin(), source.end());
  for (const Edit* edit : edits_) {
    const std::int64_t shift = start;  // positions may be any numbers of 32 bits
    replace(tokens, edit->start - shift, edit->end - shift, edit->tokens, whole);
  }
  if (tokens.size() >= INT32_MAX) throw TooLong();
  return true;
}

// The segments and edges of a sentence that cannot be cut; boundaries lie between blocks.
std::vector<Segment> MixedSentence::lattice_segments(Layers& layers) {
  if ((std::int64_t{source_.size} + 1) * (std::int64_t{hypothesis_.size} + 1) > limits_.cells) throw TooLong();
  const auto extents = blocks();
  std::vector<int> bounds{0};
  for (std::size_t n = 0; n + 1 < extents.size(); ++n) {
    const int middle = (extents[n].second + extents[n + 1].first + 1) / 2;
    if (middle < source_.size) bounds.push_back(middle);
  }
  bounds.push_back(source_.size);
  std::vector<Segment> segments;
  Lattice::Options options;
  for (std::size_t g = 0; g + 1 < bounds.size(); ++g) {
    segments.push_back(lattice_segment(bounds[g], bounds[g + 1]));
    options.emplace_back();
    for (const Option& option : segments.back().options) options.back().push_back(option.span());
  }
  std::vector<Cell> sources;
  for (int i : bounds) sources.push_back({i, 0});
  Lattice whole(source_, hypothesis_, options, pivots(bounds)), baseline(source_, {}, options, sources);
  const auto edges = whole.edges(limits_.lattice), baseline_edges = baseline.edges(limits_.lattice);
  if (!edges || !baseline_edges) throw Refused{kTooMany};
  layers = add_baseline(*edges, *baseline_edges);
  for (const Segment& segment : segments) work.alignments += static_cast<std::int64_t>(segment.options.size());
  work.cells += whole.cells + baseline.cells;
  return segments;
}

// The references of a segment of a lattice.
Segment MixedSentence::lattice_segment(int start, int end) {
  Segment found;
  found.groups = groups_between(start, end);
  const std::int64_t count = count_combinations(groups_, found.groups);
  if (count > kMostOptions) throw Refused{kTooMany};
  if (count > 0) found.options = list_options(found.groups, start, end);
  if (found.options.empty()) throw Refused{kCollides};
  return found;
}

// The cells in which an optimal alignment of source and hypothesis crosses the boundaries.
std::vector<Cell> MixedSentence::pivots(const std::vector<int>& bounds) {
  std::vector<int> passed(source_.size + 1, 0);
  PairTable table;
  table.begin(hypothesis_);
  table.fill(source_);
  int next = hypothesis_.size;  // the position in the hypothesis after the columns that were not visited yet
  table.trace(Side::kRow, [&passed, &next](int i, int j) {
    if (i >= 0) passed[i + 1] = next;
    if (j >= 0) next = j;
  });
  std::vector<Cell> found;
  for (int i : bounds) found.push_back({i, i == source_.size ? hypothesis_.size : passed[i]});
  return found;
}

// Extents of groups, merged where they overlap or touch; none if an edit is out of range.
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

// Where the edits of a block end. Edits are applied from right to left. If edits that start inside the span of an edit
// have already shortened the text, this edit reaches that much further.
int MixedSentence::reach(const std::vector<int>& block) const {
  int end = 0;
  for (int g : block) {
    end = std::max(end, groups_[g].end());
    for (const Alternative& alternative : groups_[g].alternatives) {
      for (const Edit& edit : alternative) {
        int reached = edit.end;
        for (int further = shortening(block, g, alternative, edit, reached); edit.end + further > reached;
             further = shortening(block, g, alternative, edit, reached)) {
          reached = edit.end + further;
        }
        end = std::max(end, reached);
      }
    }
  }
  return std::min(source_.size, end);
}

// How much shorter the edits of a block that start between the start of `edit` and `end` can make the text. In the
// group of `edit`, only its own alternative counts.
int MixedSentence::shortening(const std::vector<int>& block, int owner, const Alternative& own, const Edit& edit,
                              int end) const {
  const int whole = source_.size;  // the most by which a text can shrink; sums over many edits could overflow
  const auto of = [&edit, end, whole](const Alternative& alternative) {
    int length = 0;
    for (const Edit& other : alternative) {
      const bool itself = other.start == edit.start && other.end == edit.end;
      if (edit.start <= other.start && other.start < end && !itself) {
        length = std::min(whole, length + std::max(0, other.end - other.start - other.tokens.size));
      }
    }
    return length;
  };
  int length = 0;
  for (int g : block) {
    int most = g == owner ? of(own) : 0;
    if (g != owner) {
      for (const Alternative& alternative : groups_[g].alternatives) most = std::max(most, of(alternative));
    }
    length = std::min(whole, length + most);
  }
  return length;
}

// Step 1: between two blocks, the middle of the longest unedited run that the hypothesis keeps. Only positions where
// the best alignments of source and hypothesis agree (a single cell of the row without excess) can be cut points.
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

// How many tokens on both sides of a position are unedited and kept by the hypothesis.
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
