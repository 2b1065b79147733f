#include "kernels.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "bytes.hpp"
#include "edits.hpp"
#include "errant.hpp"
#include "gleu.hpp"
#include "greedy.hpp"
#include "green.hpp"
#include "grouping.hpp"
#include "imeasure/corpus.hpp"
#include "m2.hpp"
#include "maxmatch/corpus.hpp"
#include "overlap.hpp"
#include "ter.hpp"
#include "trueskill.hpp"

namespace gecbench::fuzz {
namespace {

struct Setting {
  std::size_t sentences;
  int threads;
};

// A checksum of values and their order.
template <typename Values>
std::uint64_t sum(const Values& values, std::uint64_t before = 0) {
  for (const auto value : values) before = 31 * before + static_cast<std::uint64_t>(value);
  return before;
}

std::uint64_t m2_files(Bytes& bytes, Setting) {
  const bool errant = bytes.yes();
  const std::string text = bytes.rest();
  ParsedM2 parsed;
  if (!parse_m2(text, errant, parsed)) return 0;
  require(parsed.source_lines.size() + 1 == parsed.row_offsets.size());
  require(parsed.source_lines.size() == parsed.source_lengths.size());
  require_offsets(parsed.row_offsets, parsed.annotators.size());
  require_offsets(parsed.edit_offsets, parsed.starts.size());
  for (const auto* ids : {&parsed.types, &parsed.corrections, &parsed.required, &parsed.comments}) {
    require(ids->size() == parsed.starts.size());
    for (const std::int32_t id : *ids) require(0 <= id && id < static_cast<std::int32_t>(parsed.strings.size()));
  }
  return sum(parsed.starts, sum(parsed.types));
}

std::uint64_t interning(Bytes& bytes, Setting setting) {
  const bool unicode = bytes.yes();
  const std::string text = bytes.text(20 * setting.sentences);
  const std::vector<std::int64_t> lines = cut(bytes, text.size(), setting.sentences);
  const auto count = static_cast<std::int64_t>(lines.size()) - 1;
  const InternedTokens found = intern(text, lines.data(), count, unicode, true, setting.threads);
  require_offsets(found.offsets, found.ids.size());
  require(found.offsets.size() == lines.size());
  const auto letters = std::accumulate(found.lengths.begin(), found.lengths.end(), std::int64_t{0});
  require(letters == static_cast<std::int64_t>(found.vocabulary.size()));
  for (const std::int32_t id : found.ids) require(0 <= id && id < static_cast<std::int32_t>(found.lengths.size()));
  return sum(found.ids);
}

std::uint64_t overlaps(Bytes& bytes, Setting) {
  const std::string left = bytes.text(60), right = bytes.text(60);
  const std::vector<std::int64_t> ours = cut(bytes, left.size(), 4), theirs = cut(bytes, right.size(), 4);
  std::vector<std::int32_t> rows(16);
  count_shared({left, ours.data()}, {right, theirs.data()}, 4, rows.data());
  for (std::size_t row = 0; row < 16; row += 4) require(0 <= rows[row + 2] && rows[row + 2] <= rows[row + 3]);
  return sum(rows);
}

struct ErrantSide {
  std::vector<std::int64_t> row_offsets, edit_offsets, starts, ends;
  std::vector<std::int32_t> types, corrections;

  ErrantSide(Bytes& bytes, std::size_t sentences, int strings)
      : row_offsets(divide(bytes, sentences, 1, 3)),
        edit_offsets(divide(bytes, static_cast<std::size_t>(row_offsets.back()), 0, 3)) {
    for (std::int64_t edit = 0; edit < edit_offsets.back(); ++edit) {
      starts.push_back(bytes.between(-2, 3));
      ends.push_back(starts.back() + bytes.between(-1, 3));
      types.push_back(bytes.below(strings));
      corrections.push_back(bytes.below(strings));
    }
  }

  errant::EditRows rows() const {
    return {row_offsets.data(),
            edit_offsets.data(),
            starts.data(),
            ends.data(),
            types.data(),
            corrections.data(),
            static_cast<std::int64_t>(row_offsets.size()) - 1};
  }
};

std::uint64_t errant_edits(Bytes& bytes, Setting setting) {
  constexpr int kStrings = 4;
  std::uint8_t flags[3][kStrings];
  for (auto& row : flags) {
    for (std::uint8_t& flag : row) flag = bytes.yes();
  }
  const errant::Selection selection{
      static_cast<errant::Mode>(bytes.below(4)), bytes.yes(), bytes.yes(), bytes.yes(), flags[0], flags[1], flags[2]};
  const ErrantSide ours(bytes, setting.sentences, kStrings), theirs(bytes, setting.sentences, kStrings);
  const errant::PairCounts counts = errant::count_pairs(ours.rows(), theirs.rows(), selection);
  require(counts.rows.size() % 3 == 0);
  require_offsets(counts.offsets, counts.rows.size() / 3);
  std::vector<std::int64_t> chosen;
  for (std::size_t s = 1; s < counts.offsets.size(); ++s) {
    chosen.push_back(bytes.below(static_cast<int>(counts.offsets[s] - counts.offsets[s - 1])));
  }
  std::uint64_t types = 0;
  for (const auto& row : errant::count_types(ours.rows(), theirs.rows(), selection, chosen.data()).types) {
    types = sum(row.counts, types);
  }
  return sum(counts.rows, types);
}

std::uint64_t gleu(Bytes& bytes, Setting setting) {
  const std::size_t n = setting.sentences;
  const int order = bytes.between(1, 6);
  const bool multiset = bytes.yes();
  const Texts sources = texts(bytes, n), hypotheses = texts(bytes, n);
  const std::vector<std::int64_t> rows = divide(bytes, n, 1, 3);
  const Texts references = texts(bytes, static_cast<std::size_t>(rows.back()));
  const std::size_t width = 2 + 2 * static_cast<std::size_t>(order);
  // Seeding a generator is slow under the sanitizers. So few sentences get only a few more draws than are seeded
  // together. Many sentences get draws for several tasks.
  const std::size_t draws = n > 3 ? 70 : 5;
  std::vector<std::int64_t> counts(references.size() * width), totals(draws * width);
  gleu_counts(sources.array(), hypotheses.array(), references.array(), rows.data(), order, multiset, setting.threads,
              counts.data());
  sampled_totals(counts.data(), static_cast<std::int64_t>(width), rows.data(), static_cast<std::int64_t>(n),
                 static_cast<std::int64_t>(draws), bytes.yes() ? Generator::kPython3 : Generator::kPython2,
                 setting.threads, nullptr, totals.data());
  return sum(totals, sum(counts));
}

std::uint64_t green(Bytes& bytes, Setting setting) {
  const std::size_t n = setting.sentences;
  const int order = bytes.between(1, 6);
  const Texts sources = texts(bytes, n), hypotheses = texts(bytes, n);
  const std::vector<std::int64_t> rows = divide(bytes, n, 1, 3);
  const Texts references = texts(bytes, static_cast<std::size_t>(rows.back()));
  std::vector<std::int64_t> counts(references.size() * 3 * static_cast<std::size_t>(order));
  green_counts(sources.array(), hypotheses.array(), references.array(), rows.data(), order, setting.threads,
               counts.data());
  for (const std::int64_t count : counts) require(count >= 0);
  return sum(counts);
}

std::uint64_t ter(Bytes& bytes, Setting setting) {
  // Few texts are long enough to leave the beam, since each such text takes milliseconds.
  const int longest = setting.sentences > 3 || bytes.below(64) == 1 ? 40 : 9;
  const Texts hypotheses = texts(bytes, setting.sentences, longest);
  const Texts references = texts(bytes, setting.sentences, longest);
  std::vector<std::int64_t> edits(setting.sentences);
  ter_edits(hypotheses.array(), references.array(), setting.threads, edits.data());
  for (std::size_t i = 0; i < edits.size(); ++i) {
    const TokenSpan ours = hypotheses.array()[static_cast<std::int64_t>(i)];
    const TokenSpan theirs = references.array()[static_cast<std::int64_t>(i)];
    require(0 <= edits[i] && edits[i] <= std::max(ours.size, theirs.size) && ((edits[i] == 0) == (ours == theirs)));
  }
  return sum(edits);
}

// Applying the changes to the source must give the rewrite.
std::uint64_t changes(Bytes& bytes, Setting setting) {
  const Texts sources = texts(bytes, setting.sentences);
  const std::vector<std::int64_t> rows = divide(bytes, setting.sentences, 0, 3);
  const Texts rewrites = texts(bytes, static_cast<std::size_t>(rows.back()));
  const ChangedSpans found = changed_spans(sources.array(), rewrites.array(), rows.data());
  require_offsets(found.offsets, found.spans.size() / 4);
  for (std::size_t i = 0; i < setting.sentences; ++i) {
    const TokenSpan source = sources.array()[static_cast<std::int64_t>(i)];
    for (std::int64_t row = rows[i]; row < rows[i + 1]; ++row) {
      const TokenSpan rewrite = rewrites.array()[row];
      std::vector<std::int32_t> made;
      std::int32_t at = 0;
      for (std::int64_t change = found.offsets[row]; change < found.offsets[row + 1]; ++change) {
        const std::int32_t* span = found.spans.data() + 4 * change;
        require(at <= span[0] && span[0] <= span[1] && span[1] <= source.size && span[2] <= span[3]);
        made.insert(made.end(), source.begin() + at, source.begin() + span[0]);
        made.insert(made.end(), rewrite.begin() + span[2], rewrite.begin() + span[3]);
        at = span[1];
      }
      made.insert(made.end(), source.begin() + at, source.end());
      require(TokenSpan{made.data(), static_cast<std::int32_t>(made.size())} == rewrite);
    }
  }
  return sum(found.spans);
}

std::uint64_t grouping(Bytes& bytes, Setting setting) {
  const std::vector<std::int64_t> offsets = divide(bytes, setting.sentences, 0, 6);
  const Texts corrections = texts(bytes, static_cast<std::size_t>(offsets.back()), 3);
  std::vector<std::int32_t> annotators, spans, people;
  for (std::size_t edit = 0; edit < corrections.size(); ++edit) {
    const std::int32_t start = bytes.below(9);
    annotators.push_back(bytes.below(3));
    spans.insert(spans.end(), {start, start + bytes.below(3)});
  }
  for (std::size_t i = 0; i < setting.sentences; ++i) people.push_back(3);
  const GroupLayout found = group_edits({offsets.data(), static_cast<std::int64_t>(setting.sentences),
                                         annotators.data(), spans.data(), corrections.array(), people.data()});
  require_offsets(found.group_offsets, found.optional.size());
  require_offsets(found.alternative_offsets, found.edit_offsets.size() - 1);
  require_offsets(found.edit_offsets, found.member_offsets.size() - 1);
  require_offsets(found.member_offsets, found.members.size());
  for (const std::int64_t member : found.members) require(0 <= member && member < offsets.back());
  return sum(found.members);
}

std::uint64_t greedily(Bytes& bytes, Setting setting) {
  const std::size_t n = setting.sentences, annotators = static_cast<std::size_t>(bytes.between(1, 4)), authors = 2;
  const auto size = static_cast<std::int64_t>(n);
  const greedy::Rule rule{bytes.below(5) / 4.0, bytes.yes()};
  std::vector<std::int64_t> counts;
  for (std::size_t i = 0; i < authors * n * annotators; ++i) {
    const int proposed = bytes.below(4), gold = bytes.below(4);
    counts.insert(counts.end(), {bytes.below(1 + std::min(proposed, gold)), proposed, gold});
  }
  std::vector<std::int64_t> rows(n + 1), chosen(n);
  for (std::size_t i = 0; i <= n; ++i) rows[i] = static_cast<std::int64_t>(i * annotators);
  greedy::choose_rows({counts.data(), rows.data()}, size, rule, chosen.data());
  for (std::size_t i = 0; i < n; ++i) require(rows[i] <= chosen[i] && chosen[i] < rows[i + 1]);
  std::vector<std::int32_t> samples(11 * n);
  for (std::int32_t& sentence : samples) sentence = bytes.below(static_cast<int>(n));
  std::vector<std::int64_t> walked(11 * 3);
  greedy::sample_totals({counts.data(), rows.data()}, size, rule, samples.data(), 11, size, setting.threads,
                        walked.data());
  std::vector<std::uint32_t> subsets((std::size_t{1} << annotators) - 1);
  std::iota(subsets.begin(), subsets.end(), 1U);
  std::vector<std::int64_t> totals(authors * subsets.size() * 3);
  greedy::subset_totals({2, size, static_cast<int>(annotators), counts.data()}, subsets.data(),
                        static_cast<std::int64_t>(subsets.size()), rule, setting.threads, totals.data());
  return sum(totals, sum(chosen, sum(walked)));
}

std::uint64_t matching(Bytes& bytes, Setting setting) {
  const std::size_t n = setting.sentences;
  maxmatch::Options options;
  options.max_unchanged_words = bytes.between(-1, 3);
  options.release = bytes.yes() ? maxmatch::Release::kVersion32 : maxmatch::Release::kMaster;
  options.arc_limit = bytes.yes() ? 3000 : 0;
  options.folds = bytes.yes();
  const Texts folded = texts(bytes, 5, 3);
  options.folded = folded.array();
  const Texts sources = texts(bytes, n), hypotheses = texts(bytes, n);
  const std::vector<std::int64_t> annotators = divide(bytes, n, 0, 2);
  const std::vector<std::int64_t> edits = divide(bytes, static_cast<std::size_t>(annotators.back()), 0, 4);
  std::vector<std::int32_t> starts, ends;
  for (std::int64_t edit = 0; edit < edits.back(); ++edit) {
    starts.push_back(bytes.below(12) - 1);
    ends.push_back(bytes.below(8) == 0 ? bytes.below(256) - 100 : starts.back() + bytes.below(3));
  }
  const std::vector<std::int64_t> alternatives = divide(bytes, starts.size(), 0, 2);
  const Texts corrections = texts(bytes, static_cast<std::size_t>(alternatives.back()), 3);
  const maxmatch::Corpus corpus{
      sources.array(),
      hypotheses.array(),
      {annotators.data(), edits.data(), starts.data(), ends.data(), alternatives.data(), corrections.array()}};
  std::vector<std::int64_t> counts(3 * static_cast<std::size_t>(annotators.back()));
  std::vector<std::int8_t> settled(static_cast<std::size_t>(annotators.back()));
  maxmatch::match_corpus(corpus, options, setting.threads, counts.data(), settled.data());
  for (std::size_t row = 0; row < settled.size(); ++row) {
    require(counts[3 * row] >= 0 && counts[3 * row] <= counts[3 * row + 2]);
    require(counts[3 * row + 2] == edits[row + 1] - edits[row]);
  }
  return sum(settled, sum(counts));
}

std::uint64_t improving(Bytes& bytes, Setting setting) {
  const std::size_t n = setting.sentences;
  const double weights[] = {2.0, 1.0, 0.0, -0.7}, betas[] = {1.0, 0.5, 0.0};
  const imeasure::Objective objective{bytes.below(2), bytes.below(10), bytes.yes(), weights[bytes.below(4)],
                                      betas[bytes.below(3)]};
  const imeasure::Limits limits{bytes.yes() ? 0 : 100, 200, 200, bytes.yes() ? 1 << 14 : 300, 1 << 18};
  const Texts sources = texts(bytes, n), hypotheses = texts(bytes, n);
  const std::vector<std::int64_t> groups = divide(bytes, n, 0, 4);
  const std::vector<std::int64_t> ways = divide(bytes, static_cast<std::size_t>(groups.back()), 1, 2);
  const std::vector<std::int64_t> edits = divide(bytes, static_cast<std::size_t>(ways.back()), 0, 2);
  std::vector<std::int32_t> optional, spans;
  for (std::int64_t group = 0; group < groups.back(); ++group) optional.push_back(bytes.below(2));
  for (std::int64_t edit = 0; edit < edits.back(); ++edit) {
    const std::int32_t start = bytes.below(12) - 1;
    spans.insert(spans.end(), {start, bytes.below(8) == 0 ? bytes.below(256) - 100 : start + bytes.below(3)});
  }
  const Texts corrections = texts(bytes, static_cast<std::size_t>(edits.back()), 3);
  const imeasure::MixedChoice found = imeasure::choose_mixed(
      sources.array(), hypotheses.array(),
      {groups.data(), optional.data(), ways.data(), edits.data(), spans.data(), corrections.array()}, objective, limits,
      setting.threads);
  require(found.choices.size() == optional.size() && found.status.size() == n);
  for (std::size_t group = 0; group < optional.size(); ++group) {
    require(-1 <= found.choices[group] && found.choices[group] < ways[group + 1] - ways[group]);
  }
  std::vector<std::int64_t> one_each(n + 1);
  std::iota(one_each.begin(), one_each.end(), std::int64_t{0});
  const imeasure::ReferenceCounts listed = imeasure::count_references(
      sources.array(), hypotheses.array(), sources.array(), one_each.data(), limits.cells, setting.threads);
  return sum(listed.counts, sum(found.counts, sum(found.choices)));
}

std::uint64_t ranking(Bytes& bytes, Setting setting) {
  const int systems = bytes.between(2, 4);
  const auto size = static_cast<std::size_t>(systems);
  std::vector<std::int64_t> offsets = divide(bytes, size * size, 1, 3);
  std::vector<std::int8_t> outcomes;
  for (std::int64_t i = 0; i < offsets.back(); ++i) outcomes.push_back(static_cast<std::int8_t>(bytes.below(3) - 1));
  const std::int64_t runs = static_cast<std::int64_t>(setting.sentences);
  std::vector<double> means(setting.sentences * size);
  trueskill_runs({systems, offsets.data(), outcomes.data()}, bytes.below(60), {0.5 + bytes.below(4), 1.0, 0.1}, 7,
                 static_cast<std::uint64_t>(bytes.below(256)), runs, setting.threads, means.data());
  std::uint64_t total = 0;
  for (const double mean : means) {
    require(std::isfinite(mean));
    total = 31 * total + static_cast<std::uint64_t>(std::llround(1e6 * mean));
  }
  return total;
}

using Kernel = std::uint64_t (*)(Bytes&, Setting);
constexpr Kernel kKernels[] = {m2_files, interning, overlaps, errant_edits, gleu,    ter,  changes,
                               grouping, greedily,  matching, improving,    ranking, green};
static_assert(sizeof(kKernels) / sizeof(Kernel) == kKernelCount);

}  // namespace

std::uint64_t run_kernel(const std::uint8_t* data, std::size_t size, std::size_t sentences, int threads) {
  Bytes bytes(data, size);
  const Kernel kernel = kKernels[bytes.below(kKernelCount)];
  return kernel(bytes, {sentences, threads});
}

}  // namespace gecbench::fuzz
