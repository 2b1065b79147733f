#include <nanobind/stl/string.h>

#include "arrays.hpp"
#include "maxmatch/corpus.hpp"

namespace gecbench::bindings {
namespace {

using maxmatch::Corpus;
using maxmatch::GoldArrays;
using maxmatch::Options;
using maxmatch::Release;

GoldArrays read_gold(nb::handle bundle, std::size_t sentences) {
  const auto annotator_offsets = array<Offsets>(bundle, "annotator_offsets");
  const auto edit_offsets = array<Offsets>(bundle, "edit_offsets");
  const auto starts = array<Ids>(bundle, "starts"), ends = array<Ids>(bundle, "ends");
  const auto alternative_offsets = array<Offsets>(bundle, "alternative_offsets");
  const TokenArray corrections = read_tokens(bundle.attr("corrections"));
  check_size(ends.size(), starts.size(), "ends");
  check_size(alternative_offsets.size(), starts.size() + 1, "alternative_offsets");
  check_offsets(alternative_offsets, corrections.size, "alternative_offsets");
  check_offsets(edit_offsets, starts.size(), "edit_offsets");
  check_size(annotator_offsets.size(), sentences + 1, "annotator_offsets");
  check_offsets(annotator_offsets, edit_offsets.size() - 1, "annotator_offsets");
  return {annotator_offsets.data(),   edit_offsets.data(), starts.data(), ends.data(),
          alternative_offsets.data(), corrections};
}

Corpus read_corpus(nb::handle sources, nb::handle hypotheses, nb::handle gold) {
  Corpus corpus;
  corpus.sources = read_tokens(sources);
  corpus.hypotheses = read_tokens(hypotheses);
  check_size(corpus.hypotheses.size, corpus.sources.size, "hypotheses");
  corpus.gold = read_gold(gold, corpus.sources.size);
  return corpus;
}

void check_folded(const TokenArray& texts, const TokenArray& folded) {
  for (std::int64_t index = 0; index < texts.offsets[texts.size]; ++index) {
    if (texts.ids[index] < 0 || texts.ids[index] >= folded.size) {
      throw std::invalid_argument("a token id has no folded characters");
    }
  }
}

Options read_options(nb::handle bundle, const Corpus& corpus) {
  const auto release = scalar<std::string>(bundle, "release");
  if (release != "master" && release != "3.2") {
    throw std::invalid_argument("release is 'master' or '3.2', not '" + release + "'");
  }
  Options options;
  options.release = release == "3.2" ? Release::kVersion32 : Release::kMaster;
  options.max_unchanged_words = scalar<std::int32_t>(bundle, "max_unchanged_words");
  if (options.max_unchanged_words < -1) throw std::invalid_argument("max_unchanged_words is -1 or more");
  options.arc_limit = scalar<std::int64_t>(bundle, "arc_limit");
  const nb::object folded = bundle.attr("folded");
  options.folds = !folded.is_none();
  if (options.folds) {
    options.folded = read_tokens(folded);
    check_folded(corpus.sources, options.folded);
    check_folded(corpus.hypotheses, options.folded);
  }
  return options;
}

nb::tuple match_corpus(nb::handle sources, nb::handle hypotheses, nb::handle gold, nb::handle settings, int threads) {
  const Corpus corpus = read_corpus(sources, hypotheses, gold);
  const Options options = read_options(settings, corpus);
  const std::int64_t rows = corpus.gold.annotator_offsets[corpus.sources.size];
  std::vector<std::int64_t> counts(3 * rows);
  std::vector<std::int8_t> settled(rows);
  {
    nb::gil_scoped_release released;
    maxmatch::match_corpus(corpus, options, threads, counts.data(), settled.data());
  }
  return nb::make_tuple(to_matrix(std::move(counts), 3), to_vector(std::move(settled)));
}

nb::tuple match_sentence(nb::handle source, nb::handle hypothesis, nb::handle gold, nb::handle settings) {
  const Corpus corpus = read_corpus(source, hypothesis, gold);
  check_size(corpus.sources.size, 1, "sentences");
  check_size(corpus.gold.annotator_offsets[1], 1, "annotators");
  const Options options = read_options(settings, corpus);
  std::int8_t settled = 0;
  std::vector<maxmatch::PathEdit> path;
  maxmatch::Counts counts;
  {
    nb::gil_scoped_release released;
    counts = maxmatch::match_sentence(corpus, options, settled, path);
  }
  std::vector<std::int32_t> spans;
  for (const maxmatch::PathEdit& edit : path) {
    spans.insert(spans.end(), {edit.start, edit.end, edit.hypothesis_start, edit.hypothesis_end});
  }
  return nb::make_tuple(to_vector(std::vector<std::int64_t>{counts.correct, counts.proposed, counts.gold}),
                        int{settled}, to_matrix(std::move(spans), 4));
}

}  // namespace

void bind_maxmatch(nb::module_ module) {
  module.attr("FAST") = int{maxmatch::kFast};
  module.attr("LITERAL") = int{maxmatch::kLiteral};
  module.attr("TOO_LARGE") = int{maxmatch::kTooLarge};
  module.def("match_corpus", &match_corpus, nb::arg("sources"), nb::arg("hypotheses"), nb::arg("gold"),
             nb::arg("options"), nb::arg("threads") = 1);
  module.def("match_sentence", &match_sentence, nb::arg("source"), nb::arg("hypothesis"), nb::arg("gold"),
             nb::arg("options"));
}

}  // namespace gecbench::bindings
