// Sentences are shared among threads. Each thread aligns or mixes the references of its own sentences.
#include "imeasure/corpus.hpp"

#include <algorithm>

#include "threads.hpp"

namespace gecbench::imeasure {

ReferenceCounts count_references(const TokenArray& sources, const TokenArray& hypotheses, const TokenArray& references,
                                 const std::int64_t* sentence_offsets, std::int64_t cell_limit, int threads) {
  ReferenceCounts found;
  found.counts.resize(references.size * 15);
  found.status.resize(sources.size);
  found.cells.resize(sources.size);
  share_sentences(sources.size, threads, [&](std::int64_t begin, std::int64_t end) {
    Aligner aligner(cell_limit);
    for (std::int64_t n = begin; n < end; ++n) {
      try {
        aligner.begin(sources[n], hypotheses[n]);
        for (std::int64_t row = sentence_offsets[n]; row < sentence_offsets[n + 1]; ++row) {
          look_for_stop();
          aligner.align(references[row]);
          std::copy(aligner.counts.begin(), aligner.counts.end(), found.counts.begin() + row * 15);
        }
        found.cells[n] = aligner.cells();
      } catch (const TooLong&) {
        found.status[n] = kTooLong;
      }
    }
  });
  return found;
}

std::vector<std::int64_t> choose_listed(const std::vector<Counts>& counts, const std::int64_t* sentence_offsets,
                                        std::int64_t sentences, const Objective& objective) {
  std::vector<std::int64_t> chosen(sentences);
  Counts total{};
  for (std::int64_t n = 0; n < sentences; ++n) {
    const std::int64_t start = sentence_offsets[n], end = sentence_offsets[n + 1];
    chosen[n] = start + static_cast<std::int64_t>(best_of(counts.data() + start, end - start, total, objective));
    if (objective.corpus) add(total, counts[chosen[n]]);
  }
  return chosen;
}

MixedChoice choose_mixed(const TokenArray& sources, const TokenArray& hypotheses, const GroupArrays& gold,
                         const Objective& objective, const Limits& limits, int threads) {
  MixedChoice found;
  found.choices.resize(gold.group_offsets[sources.size]);
  found.counts.resize(sources.size * 15);
  found.status.resize(sources.size);
  found.work.resize(sources.size * 4);
  Counts total{};
  share_sentences(sources.size, objective.corpus ? 1 : threads, [&](std::int64_t begin, std::int64_t end) {
    Workspace workspace{Aligner(limits.cells), {}};
    for (std::int64_t n = begin; n < end; ++n) {
      look_for_stop();
      const std::vector<Group> groups = gold.groups(n);
      MixedSentence sentence(sources[n], hypotheses[n], groups, limits, workspace);
      Counts counts{};
      found.status[n] = sentence.choose(total, objective, found.choices.data() + gold.group_offsets[n], counts);
      if (objective.corpus) add(total, counts);
      std::copy(counts.begin(), counts.end(), found.counts.begin() + n * 15);
      const Work& work = sentence.work;
      std::int64_t* row = found.work.data() + n * 4;
      row[0] = work.asked, row[1] = work.alignments, row[2] = work.cells, row[3] = work.segments;
    }
  });
  return found;
}

}  // namespace gecbench::imeasure
