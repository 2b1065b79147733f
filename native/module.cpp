// The extension gecbench._native: one submodule per kernel, with the functions of the module of the same name in
// gecbench.kernels. A binding checks its arguments (arrays.hpp) and calls the kernel, which is plain C++. The GIL is
// released while a kernel works on a whole corpus.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <tuple>

#include "arrays.hpp"
#include "edits.hpp"
#include "errant.hpp"
#include "gleu.hpp"
#include "greedy.hpp"
#include "green.hpp"
#include "grouping.hpp"
#include "imeasure/corpus.hpp"
#include "m2.hpp"
#include "maxmatch/corpus.hpp"
#include "mersenne_twister.hpp"
#include "overlap.hpp"
#include "ter.hpp"
#include "threads.hpp"
#include "tokens.hpp"
#include "trueskill.hpp"

namespace gecbench::bindings {

namespace {

// gecbench._native.tokens

InternedTokens read_lines(const nb::bytes& text, const Offsets& line_offsets, bool unicode_whitespace,
                          bool list_vocabulary, int threads) {
  check_offsets(line_offsets, text.size(), "line_offsets");
  const std::string_view bytes(text.c_str(), text.size());
  nb::gil_scoped_release released;
  return intern(bytes, line_offsets.data(), line_offsets.shape(0) - 1, unicode_whitespace, list_vocabulary, threads);
}

nb::tuple intern_lines(const nb::bytes& text, const Offsets& line_offsets, bool unicode_whitespace, int threads) {
  InternedTokens tokens = read_lines(text, line_offsets, unicode_whitespace, false, threads);
  return nb::make_tuple(to_vector(std::move(tokens.ids)), to_vector(std::move(tokens.offsets)));
}

nb::tuple list_vocabulary(const nb::bytes& text, const Offsets& line_offsets, bool unicode_whitespace, int threads) {
  InternedTokens tokens = read_lines(text, line_offsets, unicode_whitespace, true, threads);
  const nb::bytes vocabulary(tokens.vocabulary.data(), tokens.vocabulary.size());
  return nb::make_tuple(to_vector(std::move(tokens.ids)), to_vector(std::move(tokens.offsets)), vocabulary,
                        to_vector(std::move(tokens.lengths)));
}

Output<std::int32_t> share(const nb::bytes& left, const Offsets& left_offsets, const nb::bytes& right,
                           const Offsets& right_offsets) {
  check_offsets(left_offsets, left.size(), "left_offsets");
  check_offsets(right_offsets, right.size(), "right_offsets");
  check_size(right_offsets.size(), left_offsets.size(), "right_offsets");
  const std::size_t pairs = left_offsets.size() - 1;
  const Lines ours{{left.c_str(), left.size()}, left_offsets.data()};
  const Lines theirs{{right.c_str(), right.size()}, right_offsets.data()};
  std::vector<std::int32_t> rows(pairs * 4);
  {
    nb::gil_scoped_release released;
    count_shared(ours, theirs, static_cast<std::int64_t>(pairs), rows.data());
  }
  return to_matrix(std::move(rows), 4);
}

void bind_tokens(nb::module_ module) {
  module.def("count_shared", &share, nb::arg("left"), nb::arg("left_offsets"), nb::arg("right"),
             nb::arg("right_offsets"));
  module.def("intern", &intern_lines, nb::arg("text"), nb::arg("line_offsets"), nb::arg("unicode_whitespace"),
             nb::arg("threads") = 1);
  module.def("intern_and_list", &list_vocabulary, nb::arg("text"), nb::arg("line_offsets"),
             nb::arg("unicode_whitespace"), nb::arg("threads") = 1);
}

// gecbench._native.edits

nb::tuple find_changes(nb::handle sources, nb::handle rewrites, const Offsets& rewrite_rows) {
  Copies copies;
  const TokenArray before = read_tokens(sources, copies), after = read_tokens(rewrites, copies);
  check_size(rewrite_rows.size(), before.size + 1, "rewrite_rows");
  check_offsets(rewrite_rows, after.size, "rewrite_rows");
  ChangedSpans found;
  {
    nb::gil_scoped_release released;
    found = changed_spans(before, after, rewrite_rows.data());
  }
  return nb::make_tuple(to_matrix(std::move(found.spans), 4), to_vector(std::move(found.offsets)));
}

Output<std::int64_t> find_ter_edits(nb::handle hypotheses, nb::handle references, int threads) {
  Copies copies;
  const TokenArray hypothesis = read_tokens(hypotheses, copies), reference = read_tokens(references, copies);
  check_size(reference.size, hypothesis.size, "references");
  std::vector<std::int64_t> found(hypothesis.size);
  {
    nb::gil_scoped_release released;
    ter_edits(hypothesis, reference, threads, found.data());
  }
  return to_vector(std::move(found));
}

void bind_edits(nb::module_ module) {
  module.def("ter_edits", &find_ter_edits, nb::arg("hypotheses"), nb::arg("references"), nb::arg("threads") = 1);
  module.def("changed_spans", &find_changes, nb::arg("sources"), nb::arg("rewrites"), nb::arg("rewrite_rows"));
}

// gecbench._native.m2

nb::object parse_m2_text(const nb::bytes& text, bool errant) {
  ParsedM2 parsed;
  bool is_standard = false;
  {
    const std::string_view bytes(text.c_str(), text.size());
    nb::gil_scoped_release released;
    is_standard = parse_m2(bytes, errant, parsed);
  }
  if (!is_standard) return nb::none();
  nb::list strings;
  for (const std::string_view field : parsed.strings) strings.append(nb::str(field.data(), field.size()));
  return nb::make_tuple(to_vector(std::move(parsed.source_lines)), to_vector(std::move(parsed.source_lengths)),
                        to_vector(std::move(parsed.row_offsets)), to_vector(std::move(parsed.annotators)),
                        to_vector(std::move(parsed.edit_offsets)), to_vector(std::move(parsed.edit_lines)),
                        to_vector(std::move(parsed.starts)), to_vector(std::move(parsed.ends)),
                        to_vector(std::move(parsed.types)), to_vector(std::move(parsed.corrections)),
                        to_vector(std::move(parsed.required)), to_vector(std::move(parsed.comments)), strings);
}

void bind_m2(nb::module_ module) {
  module.def("parse", &parse_m2_text, nb::arg("text"), nb::arg("errant") = false);
}

// gecbench._native.errant

errant::Mode mode_of(const std::string& name) {
  if (name == "cs") return errant::Mode::correction;
  if (name == "cse") return errant::Mode::correction_and_type;
  if (name == "ds") return errant::Mode::span;
  if (name == "dt") return errant::Mode::token;
  throw std::invalid_argument("the mode must be cs, cse, ds or dt");
}

errant::EditRows read_edit_rows(nb::handle bundle, std::size_t strings, errant::Mode mode, Copies& copies) {
  const auto row_offsets = array<Offsets>(bundle, "row_offsets", copies),
             edit_offsets = array<Offsets>(bundle, "edit_offsets", copies);
  const auto starts = array<Offsets>(bundle, "starts", copies), ends = array<Offsets>(bundle, "ends", copies);
  const auto types = array<Ids>(bundle, "types", copies), corrections = array<Ids>(bundle, "corrections", copies);
  check_offsets(edit_offsets, starts.size(), "edit_offsets");
  check_offsets(row_offsets, edit_offsets.size() - 1, "row_offsets");
  check_size(ends.size(), starts.size(), "ends");
  constexpr std::int64_t farthest = std::int64_t{1} << 61;  // differences of positions do not overflow
  for (std::size_t edit = 0; edit < ends.size(); ++edit) {
    if (std::min(starts(edit), ends(edit)) < -farthest || std::max(starts(edit), ends(edit)) > farthest) {
      throw std::invalid_argument("the start or end of an edit is beyond 2^61");
    }
    if (mode == errant::Mode::token && ends(edit) - starts(edit) > 1000000) {
      throw std::invalid_argument("an edit is too long: it spans more than 1,000,000 tokens");
    }
  }
  for (const Ids* ids : {&types, &corrections}) {
    check_size(ids->size(), starts.size(), "types and corrections");
    for (std::size_t edit = 0; edit < ids->size(); ++edit) {
      const std::int32_t id = (*ids)(edit);
      if (id < 0 || static_cast<std::size_t>(id) >= strings) {
        throw std::invalid_argument("types and corrections must be indexes of strings");
      }
    }
  }
  const auto sentences = static_cast<std::int64_t>(row_offsets.size()) - 1;
  return {row_offsets.data(), edit_offsets.data(), starts.data(), ends.data(),
          types.data(),       corrections.data(),  sentences};
}

struct ErrantComparison {
  errant::EditRows ours, theirs;
  errant::Selection selection;
  Copies copies;

  explicit ErrantComparison(nb::handle compared) {
    const nb::object options = compared.attr("selection");
    const auto is_noop = array<Input<std::uint8_t, 1>>(compared, "is_noop", copies);
    const auto is_dropped = array<Input<std::uint8_t, 1>>(compared, "is_dropped", copies);
    const auto is_several = array<Input<std::uint8_t, 1>>(compared, "is_several", copies);
    check_size(is_dropped.size(), is_noop.size(), "is_dropped");
    check_size(is_several.size(), is_noop.size(), "is_several");
    const errant::Mode mode = mode_of(nb::cast<std::string>(options.attr("mode")));
    ours = read_edit_rows(compared.attr("ours"), is_noop.size(), mode, copies);
    theirs = read_edit_rows(compared.attr("theirs"), is_noop.size(), mode, copies);
    check_size(theirs.sentences, ours.sentences, "sentences");
    selection = {mode,
                 scalar<bool>(options, "single"),
                 scalar<bool>(options, "multi"),
                 scalar<bool>(options, "once"),
                 is_noop.data(),
                 is_dropped.data(),
                 is_several.data()};
  }
};

nb::tuple count_errant_pairs(nb::handle compared) {
  const ErrantComparison both(compared);
  errant::PairCounts counts;
  {
    nb::gil_scoped_release released;
    counts = errant::count_pairs(both.ours, both.theirs, both.selection);
  }
  return nb::make_tuple(to_matrix(std::move(counts.rows), 3), to_vector(std::move(counts.offsets)));
}

nb::dict count_errant_types(nb::handle compared, const Offsets& chosen) {
  const ErrantComparison both(compared);
  check_size(chosen.size(), both.ours.sentences, "chosen");
  errant::TypeCounts counts;
  {
    nb::gil_scoped_release released;
    counts = errant::count_types(both.ours, both.theirs, both.selection, chosen.data());
  }
  const nb::object strings = compared.attr("ours").attr("strings");
  nb::dict found;
  for (const auto& row : counts.types) {
    nb::list three;
    for (const std::int64_t count : row.counts) three.append(count);
    found[strings[row.type]] = three;
  }
  return found;
}

void bind_errant(nb::module_ module) {
  module.def("count_pairs", &count_errant_pairs, nb::arg("compared"));
  module.def("count_types", &count_errant_types, nb::arg("compared"), nb::arg("chosen"));
}

// gecbench._native.gleu

Generator generator_of(bool python3) {
  return python3 ? Generator::kPython3 : Generator::kPython2;
}

// Every sentence needs a row to draw. The seeds, 101 times the iteration, must fit into 32 bits.
void check_draws(const Offsets& row_offsets, std::int64_t first_iteration, std::int64_t iterations) {
  constexpr std::int64_t most = (std::int64_t{1} << 32) / 101;
  const std::size_t size = row_offsets.size();
  bool fits = size > 0 && row_offsets(0) == 0;
  // A draw has 32 bits.
  constexpr std::int64_t most_rows = std::int64_t{1} << 31;
  for (std::size_t index = 1; fits && index < size; ++index) {
    const std::int64_t before = row_offsets(index - 1);
    fits = before >= 0 && before < row_offsets(index) && row_offsets(index) - before < most_rows;
  }
  if (!fits) throw std::invalid_argument("row_offsets must rise from 0, by 1 to 2^31 - 1 per sentence");
  if (first_iteration < 0 || iterations < 0 || iterations > most || first_iteration > most - iterations) {
    throw std::invalid_argument("iterations must be 0 to " + std::to_string(most));
  }
}

// The texts that n-gram metrics compare. Sentence i has the references reference_rows[i]:reference_rows[i + 1].
struct ComparedTexts {
  Copies copies;
  TokenArray sources, hypotheses, references;

  ComparedTexts(nb::handle source, nb::handle hypothesis, nb::handle reference, const Offsets& reference_rows)
      : sources(read_long_tokens(source, copies)),
        hypotheses(read_long_tokens(hypothesis, copies)),
        references(read_long_tokens(reference, copies)) {
    check_size(hypotheses.size, sources.size, "hypotheses");
    check_size(reference_rows.size(), sources.size + 1, "reference_rows");
    check_offsets(reference_rows, references.size, "reference_rows");
  }
};

Output<std::int64_t> count_gleu(nb::handle sources, nb::handle hypotheses, nb::handle references,
                                const Offsets& reference_rows, int order, bool multiset, int threads) {
  const ComparedTexts texts(sources, hypotheses, references, reference_rows);
  check_order(order);
  Unfilled<std::int64_t> counts(texts.references.size, 2 + 2 * static_cast<std::size_t>(order));
  {
    nb::gil_scoped_release released;
    gleu_counts(texts.sources, texts.hypotheses, texts.references, reference_rows.data(), order, multiset, threads,
                counts.data());
  }
  return std::move(counts).to_numpy();
}

Output<std::int64_t> draw_gleu_rows(const Offsets& row_offsets, std::int64_t first_iteration, std::int64_t iterations,
                                    bool python3, int threads) {
  check_draws(row_offsets, first_iteration, iterations);
  const std::size_t sentences = row_offsets.shape(0) - 1;
  std::vector<std::int64_t> drawn(table_size(iterations, sentences));
  {
    nb::gil_scoped_release released;
    draw_rows(row_offsets.data(), sentences, first_iteration, iterations, generator_of(python3), threads, drawn.data());
  }
  return to_numpy(std::move(drawn), {static_cast<std::size_t>(iterations), sentences});
}

using States = nb::ndarray<std::uint32_t, nb::shape<-1, MersenneTwister::kStateWords>, nb::c_contig, nb::device::cpu>;

Output<std::uint32_t> initial_states(std::int64_t iterations) {
  std::vector<std::uint32_t> states(table_size(iterations, MersenneTwister::kStateWords));
  generator_states(iterations, states.data());
  return to_matrix(std::move(states), MersenneTwister::kStateWords);
}

// A copy of the states, which the kernel updates.
std::vector<std::uint32_t> copy_states(const States& states, std::int64_t iterations) {
  constexpr std::size_t words = MersenneTwister::kStateWords;
  check_size(states.shape(0), iterations, "states");
  std::vector<std::uint32_t> copy(states.data(), states.data() + states.size());
  for (std::size_t last = words - 1; last < copy.size(); last += words) {
    if (copy[last] >= words) throw std::invalid_argument("states has a position beyond the words of a generator");
  }
  return copy;
}

Output<std::int64_t> sum_gleu_draws(const Matrix& counts, const Offsets& row_offsets, std::int64_t iterations,
                                    bool python3, int threads, const std::optional<States>& states) {
  check_draws(row_offsets, 0, iterations);
  std::vector<std::uint32_t> moved;
  if (states) moved = copy_states(*states, iterations);
  check_offsets(row_offsets, counts.shape(0), "row_offsets");
  check_counts(counts);
  const std::size_t width = counts.shape(1);
  std::vector<std::int64_t> sums(table_size(iterations, width));
  {
    nb::gil_scoped_release released;
    sampled_totals(counts.data(), width, row_offsets.data(), row_offsets.shape(0) - 1, iterations,
                   generator_of(python3), threads, states ? moved.data() : nullptr, sums.data());
  }
  if (states) std::copy(moved.begin(), moved.end(), states->data());
  return to_numpy(std::move(sums), {static_cast<std::size_t>(iterations), width});
}

void bind_gleu(nb::module_ module) {
  module.def("gleu_counts", &count_gleu, nb::arg("sources"), nb::arg("hypotheses"), nb::arg("references"),
             nb::arg("reference_rows"), nb::arg("order"), nb::arg("multiset"), nb::arg("threads") = 1);
  module.def("draw_rows", &draw_gleu_rows, nb::arg("row_offsets"), nb::arg("first_iteration"), nb::arg("iterations"),
             nb::arg("python3"), nb::arg("threads") = 1);
  module.def("sampled_totals", &sum_gleu_draws, nb::arg("counts"), nb::arg("row_offsets"), nb::arg("iterations"),
             nb::arg("python3"), nb::arg("threads") = 1, nb::arg("states") = nb::none());
  module.def("generator_states", &initial_states, nb::arg("iterations"));
}

// gecbench._native.maxmatch

using maxmatch::Corpus;
using maxmatch::GoldArrays;
using maxmatch::Options;
using maxmatch::Release;

GoldArrays read_gold(nb::handle bundle, std::size_t sentences, Copies& copies) {
  const auto annotator_offsets = array<Offsets>(bundle, "annotator_offsets", copies);
  const auto edit_offsets = array<Offsets>(bundle, "edit_offsets", copies);
  const auto starts = array<Ids>(bundle, "starts", copies), ends = array<Ids>(bundle, "ends", copies);
  const auto alternative_offsets = array<Offsets>(bundle, "alternative_offsets", copies);
  const TokenArray corrections = read_tokens(bundle.attr("corrections"), copies);
  check_size(ends.size(), starts.size(), "ends");
  check_size(alternative_offsets.size(), starts.size() + 1, "alternative_offsets");
  check_offsets(alternative_offsets, corrections.size, "alternative_offsets");
  check_offsets(edit_offsets, starts.size(), "edit_offsets");
  check_size(annotator_offsets.size(), sentences + 1, "annotator_offsets");
  check_offsets(annotator_offsets, edit_offsets.size() - 1, "annotator_offsets");
  for (std::size_t row = 1; row < edit_offsets.size(); ++row) {  // the sum of more rewards would overflow
    if (edit_offsets(row) - edit_offsets(row - 1) > 1 << 22) {
      throw std::invalid_argument("an annotator has more than 2^22 edits of one sentence");
    }
  }
  return {annotator_offsets.data(),   edit_offsets.data(), starts.data(), ends.data(),
          alternative_offsets.data(), corrections};
}

Corpus read_corpus(nb::handle sources, nb::handle hypotheses, nb::handle gold, Copies& copies) {
  Corpus corpus;
  corpus.sources = read_tokens(sources, copies);
  corpus.hypotheses = read_tokens(hypotheses, copies);
  check_size(corpus.hypotheses.size, corpus.sources.size, "hypotheses");
  corpus.gold = read_gold(gold, corpus.sources.size, copies);
  return corpus;
}

void check_folded(const TokenArray& texts, const TokenArray& folded) {
  for (std::int64_t index = 0; index < texts.offsets[texts.size]; ++index) {
    if (texts.ids[index] < 0 || texts.ids[index] >= folded.size) {
      throw std::invalid_argument("folded has no characters for a token id");
    }
  }
}

Options read_options(nb::handle bundle, const Corpus& corpus, Copies& copies) {
  const auto release = scalar<std::string>(bundle, "release");
  if (release != "master" && release != "3.2") {
    throw std::invalid_argument("release must be 'master' or '3.2', not '" + release + "'");
  }
  Options options;
  options.release = release == "3.2" ? Release::kVersion32 : Release::kMaster;
  options.max_unchanged_words = scalar<std::int32_t>(bundle, "max_unchanged_words");
  if (options.max_unchanged_words < -1) {
    throw std::invalid_argument("max_unchanged_words must be at least -1, not " +
                                std::to_string(options.max_unchanged_words));
  }
  options.arc_limit = scalar<std::int64_t>(bundle, "arc_limit");
  const nb::object folded = bundle.attr("folded");
  options.folds = !folded.is_none();
  if (options.folds) {
    options.folded = read_tokens(folded, copies);
    check_folded(corpus.sources, options.folded);
    check_folded(corpus.hypotheses, options.folded);
  }
  return options;
}

nb::tuple match_corpus(nb::handle sources, nb::handle hypotheses, nb::handle gold, nb::handle settings, int threads) {
  Copies copies;
  const Corpus corpus = read_corpus(sources, hypotheses, gold, copies);
  const Options options = read_options(settings, corpus, copies);
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
  Copies copies;
  const Corpus corpus = read_corpus(source, hypothesis, gold, copies);
  check_size(corpus.sources.size, 1, "sentences");
  check_size(corpus.gold.annotator_offsets[1], 1, "annotators");
  const Options options = read_options(settings, corpus, copies);
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

void bind_maxmatch(nb::module_ module) {
  module.attr("FAST") = int{maxmatch::kFast};
  module.attr("LITERAL") = int{maxmatch::kLiteral};
  module.attr("TOO_LARGE") = int{maxmatch::kTooLarge};
  module.def("match_corpus", &match_corpus, nb::arg("sources"), nb::arg("hypotheses"), nb::arg("gold"),
             nb::arg("options"), nb::arg("threads") = 1);
  module.def("match_sentence", &match_sentence, nb::arg("source"), nb::arg("hypothesis"), nb::arg("gold"),
             nb::arg("options"));
}

// gecbench._native.greedy

using CountRows = Copied<nb::ndarray<const std::int64_t, nb::shape<-1, 3>, nb::c_contig, nb::device::cpu>>;
using Samples = Input<std::int32_t, 2>;
using AnnotatorCounts = Input<std::int64_t, 4>;
using Subsets = Input<std::uint32_t, 1>;

// The kernel compares doubles by their bits, which works only for numbers that are not negative.
template <typename Array>
void check_edits(const Array& counts, double beta_squared) {
  check_counts(counts, false);
  if (!(beta_squared >= 0)) throw std::invalid_argument("beta_squared must not be negative");
}

Output<std::int64_t> choose_rows(const CountRows& counts, const Offsets& row_offsets, double beta_squared,
                                 bool rounded) {
  check_offsets(row_offsets, counts.shape(0), "row_offsets");
  check_edits(counts, beta_squared);
  std::vector<std::int64_t> chosen(row_offsets.size() - 1);
  {
    nb::gil_scoped_release released;
    const auto sentences = static_cast<std::int64_t>(chosen.size());
    greedy::choose_rows({counts.data(), row_offsets.data()}, sentences, {beta_squared, rounded}, chosen.data());
  }
  return to_vector(std::move(chosen));
}

Output<std::int64_t> sample_totals(const CountRows& counts, const Offsets& row_offsets, double beta_squared,
                                   const Samples& samples, int threads, bool rounded) {
  check_offsets(row_offsets, counts.shape(0), "row_offsets");
  check_edits(counts, beta_squared);
  const auto sentences = static_cast<std::int64_t>(row_offsets.size()) - 1;
  for (std::size_t index = 0; index < samples.size(); ++index) {
    if (samples.data()[index] < 0 || samples.data()[index] >= sentences) {
      throw std::invalid_argument("samples has the index of a sentence that does not exist");
    }
  }
  std::vector<std::int64_t> totals(table_size(samples.shape(0), 3));
  {
    nb::gil_scoped_release released;
    greedy::sample_totals({counts.data(), row_offsets.data()}, sentences, {beta_squared, rounded}, samples.data(),
                          static_cast<std::int64_t>(samples.shape(0)), static_cast<std::int64_t>(samples.shape(1)),
                          threads, totals.data());
  }
  return to_matrix(std::move(totals), 3);
}

void check_annotators(const AnnotatorCounts& counts, const Subsets& subsets) {
  const std::size_t annotators = counts.shape(2);
  if (annotators < 1 || annotators > 31 || counts.shape(3) != 3) {
    throw std::invalid_argument("counts must be an array (authors, sentences, 1 to 31 annotators, 3)");
  }
  for (std::size_t subset = 0; subset < subsets.shape(0); ++subset) {
    if (subsets(subset) == 0 || subsets(subset) >> annotators != 0) {
      throw std::invalid_argument("a subset is empty or has an annotator that does not exist");
    }
  }
}

Output<std::int64_t> subset_totals(const AnnotatorCounts& counts, const Subsets& subsets, double beta_squared,
                                   int threads, bool rounded) {
  check_annotators(counts, subsets);
  check_edits(counts, beta_squared);
  const std::size_t authors = counts.shape(0), chosen = subsets.shape(0);
  const greedy::AnnotatorCounts edits{static_cast<std::int64_t>(authors), static_cast<std::int64_t>(counts.shape(1)),
                                      static_cast<int>(counts.shape(2)), counts.data()};
  std::vector<std::int64_t> totals(table_size(authors * 3, chosen));
  {
    nb::gil_scoped_release released;
    greedy::subset_totals(edits, subsets.data(), static_cast<std::int64_t>(chosen), {beta_squared, rounded}, threads,
                          totals.data());
  }
  return to_numpy(std::move(totals), {authors, chosen, std::size_t{3}});
}

void bind_greedy(nb::module_ module) {
  module.def("choose_rows", &choose_rows, nb::arg("counts"), nb::arg("row_offsets"), nb::arg("beta_squared"),
             nb::arg("rounded") = false);
  module.def("sample_totals", &sample_totals, nb::arg("counts"), nb::arg("row_offsets"), nb::arg("beta_squared"),
             nb::arg("samples"), nb::arg("threads") = 1, nb::arg("rounded") = false);
  module.def("subset_totals", &subset_totals, nb::arg("counts"), nb::arg("subsets"), nb::arg("beta_squared"),
             nb::arg("threads") = 1, nb::arg("rounded") = false);
}

// gecbench._native.green

Output<std::int64_t> count_green(nb::handle sources, nb::handle hypotheses, nb::handle references,
                                 const Offsets& reference_rows, int order, int threads) {
  const ComparedTexts texts(sources, hypotheses, references, reference_rows);
  check_order(order);
  Unfilled<std::int64_t> counts(texts.references.size, 3 * static_cast<std::size_t>(order));
  {
    nb::gil_scoped_release released;
    green_counts(texts.sources, texts.hypotheses, texts.references, reference_rows.data(), order, threads,
                 counts.data());
  }
  return std::move(counts).to_numpy();
}

void bind_green(nb::module_ module) {
  module.def("green_counts", &count_green, nb::arg("sources"), nb::arg("hypotheses"), nb::arg("references"),
             nb::arg("reference_rows"), nb::arg("order"), nb::arg("threads") = 1);
}

// gecbench._native.grouping

using Spans = Copied<nb::ndarray<const std::int32_t, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>>;

nb::tuple find_groups(const Offsets& sentence_offsets, const Ids& annotators, const Spans& spans, nb::handle texts,
                      const Ids& people) {
  Copies copies;
  const TokenArray tokens = read_tokens(texts, copies);
  check_size(annotators.size(), tokens.size, "annotators");
  check_size(spans.shape(0), tokens.size, "spans");
  check_size(sentence_offsets.size(), people.size() + 1, "sentence_offsets");
  check_offsets(sentence_offsets, tokens.size, "sentence_offsets");
  GroupLayout layout;
  {
    nb::gil_scoped_release released;
    layout = group_edits({sentence_offsets.data(), static_cast<std::int64_t>(people.size()), annotators.data(),
                          spans.data(), tokens, people.data()});
  }
  return nb::make_tuple(to_vector(std::move(layout.group_offsets)), to_vector(std::move(layout.optional)),
                        to_vector(std::move(layout.alternative_offsets)), to_vector(std::move(layout.edit_offsets)),
                        to_vector(std::move(layout.member_offsets)), to_vector(std::move(layout.members)),
                        to_vector(std::move(layout.bridged)));
}

void bind_grouping(nb::module_ module) {
  module.def("group_edits", &find_groups, nb::arg("sentence_offsets"), nb::arg("annotators"), nb::arg("spans"),
             nb::arg("texts"), nb::arg("people"));
}

// gecbench._native.imeasure

using imeasure::GroupArrays;
using imeasure::Limits;
using imeasure::Objective;
using ReferenceRows = Copied<nb::ndarray<const std::int64_t, nb::shape<-1, 15>, nb::c_contig, nb::device::cpu>>;

Objective read_objective(nb::handle bundle) {
  const Objective objective{scalar<int>(bundle, "aspect"), scalar<int>(bundle, "metric"),
                            scalar<bool>(bundle, "corpus"), scalar<double>(bundle, "weight"),
                            scalar<double>(bundle, "beta")};
  if (objective.aspect < 0 || objective.aspect > 1 || objective.metric < 0 || objective.metric > imeasure::kMetricI) {
    throw std::invalid_argument("objective must have aspect 0 or 1, and metric 0 to 9");
  }
  return objective;
}

// Costs fit into 32 bits if the tables of the texts have at most this many cells.
constexpr std::int64_t kMostCells = std::int64_t{1} << 28;

Limits read_limits(nb::handle bundle) {
  const auto cells = std::min(scalar<std::int64_t>(bundle, "cells"), kMostCells);
  return {scalar<std::int64_t>(bundle, "listed"), scalar<std::int64_t>(bundle, "segment"),
          scalar<std::int64_t>(bundle, "sums"),   cells,
          scalar<std::int64_t>(bundle, "work"),   scalar<std::int64_t>(bundle, "lattice")};
}

GroupArrays read_groups(nb::handle bundle, std::size_t sentences, Copies& copies) {
  const auto group_offsets = array<Offsets>(bundle, "group_offsets", copies);
  const auto optional = array<Ids>(bundle, "optional", copies);
  const auto alternative_offsets = array<Offsets>(bundle, "alternative_offsets", copies);
  const auto edit_offsets = array<Offsets>(bundle, "edit_offsets", copies);
  const auto spans = array<Spans>(bundle, "spans", copies);
  const TokenArray corrections = read_tokens(bundle.attr("corrections"), copies);
  check_size(spans.shape(0), corrections.size, "spans");
  check_offsets(edit_offsets, corrections.size, "edit_offsets");
  check_size(alternative_offsets.size(), optional.size() + 1, "alternative_offsets");
  check_offsets(alternative_offsets, edit_offsets.size() - 1, "alternative_offsets");
  check_size(group_offsets.size(), sentences + 1, "group_offsets");
  check_offsets(group_offsets, optional.size(), "group_offsets");
  return {group_offsets.data(), optional.data(), alternative_offsets.data(),
          edit_offsets.data(),  spans.data(),    corrections};
}

Output<std::int32_t> align(const Ids& source, const Ids& hypothesis, const Ids& reference) {
  const auto tokens = [](const Ids& ids) {
    if (ids.size() > static_cast<std::size_t>(kMostCells))
      throw std::invalid_argument("a text has more than 2^28 tokens");
    return TokenSpan{ids.data(), static_cast<std::int32_t>(ids.size())};
  };
  imeasure::Aligner aligner(std::int64_t{1} << 25);
  aligner.begin(tokens(source), tokens(hypothesis));
  aligner.align(tokens(reference));
  std::vector<std::int32_t> flat;
  for (const imeasure::Column& column : aligner.columns) flat.insert(flat.end(), column.begin(), column.end());
  return to_matrix(std::move(flat), 3);
}

std::tuple<Output<std::int64_t>, Output<std::int32_t>, Output<std::int64_t>> count_references(
    nb::handle sources, nb::handle hypotheses, nb::handle references, const Offsets& sentence_offsets,
    std::int64_t cell_limit, int threads) {
  Copies copies;
  const TokenArray source = read_tokens(sources, copies), hypothesis = read_tokens(hypotheses, copies);
  const TokenArray reference = read_tokens(references, copies);
  check_size(hypothesis.size, source.size, "hypotheses");
  check_size(sentence_offsets.size(), source.size + 1, "sentence_offsets");
  check_offsets(sentence_offsets, reference.size, "sentence_offsets");
  imeasure::ReferenceCounts found;
  {
    nb::gil_scoped_release released;
    found = imeasure::count_references(source, hypothesis, reference, sentence_offsets.data(),
                                       std::min(cell_limit, kMostCells), threads);
  }
  return {to_matrix(std::move(found.counts), 15), to_vector(std::move(found.status)),
          to_vector(std::move(found.cells))};
}

Output<std::int64_t> choose_listed(const ReferenceRows& counts, const Offsets& sentence_offsets, nb::handle goal) {
  const Objective objective = read_objective(goal);
  check_offsets(sentence_offsets, counts.shape(0), "sentence_offsets");
  check_counts(counts);
  const std::size_t sentences = sentence_offsets.size() - 1;
  for (std::size_t n = 0; n < sentences; ++n) {
    if (sentence_offsets(n) == sentence_offsets(n + 1)) throw std::invalid_argument("a sentence has no reference");
  }
  std::vector<imeasure::Counts> rows(counts.shape(0));
  for (std::size_t row = 0; row < rows.size(); ++row) std::copy_n(counts.data() + 15 * row, 15, rows[row].begin());
  return to_vector(
      imeasure::choose_listed(rows, sentence_offsets.data(), static_cast<std::int64_t>(sentences), objective));
}

std::tuple<Output<std::int32_t>, Output<std::int64_t>, Output<std::int32_t>, Output<std::int64_t>> choose_mixed(
    nb::handle sources, nb::handle hypotheses, nb::handle gold, nb::handle goal, nb::handle bounds, int threads) {
  Copies copies;
  const TokenArray source = read_tokens(sources, copies), hypothesis = read_tokens(hypotheses, copies);
  check_size(hypothesis.size, source.size, "hypotheses");
  const GroupArrays groups = read_groups(gold, source.size, copies);
  const Objective objective = read_objective(goal);
  const Limits limits = read_limits(bounds);
  imeasure::MixedChoice found;
  {
    nb::gil_scoped_release released;
    found = imeasure::choose_mixed(source, hypothesis, groups, objective, limits, threads);
  }
  return {to_vector(std::move(found.choices)), to_matrix(std::move(found.counts), 15),
          to_vector(std::move(found.status)), to_matrix(std::move(found.work), 4)};
}

void bind_imeasure(nb::module_ module) {
  module.def("align", &align, nb::arg("source"), nb::arg("hypothesis"), nb::arg("reference"));
  module.def("count_references", &count_references, nb::arg("sources"), nb::arg("hypotheses"), nb::arg("references"),
             nb::arg("sentence_offsets"), nb::arg("cell_limit"), nb::arg("threads") = 1);
  module.def("choose_listed", &choose_listed, nb::arg("counts"), nb::arg("sentence_offsets"), nb::arg("objective"));
  module.def("choose_mixed", &choose_mixed, nb::arg("sources"), nb::arg("hypotheses"), nb::arg("gold"),
             nb::arg("objective"), nb::arg("limits"), nb::arg("threads") = 1);
}

// gecbench._native.trueskill

using Outcomes = Input<std::int8_t, 1>;

std::tuple<double, double, double, double> rate_pair(double mean1, double variance1, double mean2, double variance2,
                                                     int outcome, double beta, double margin) {
  Rating first{mean1, variance1}, second{mean2, variance2};
  rate(first, second, outcome, beta, margin);
  return {first.mean, first.variance, second.mean, second.variance};
}

void check_judgments(int systems, const Offsets& offsets, const Outcomes& outcomes, std::int64_t count) {
  const auto size = static_cast<std::size_t>(systems), cells = size * size;
  if (systems < 2 || count < 0 || offsets.shape(0) != cells + 1 || offsets(0) != 0 ||
      offsets(cells) != static_cast<std::int64_t>(outcomes.shape(0))) {
    throw std::invalid_argument("there must be 2 systems or more, and systems * systems + 1 offsets into outcomes");
  }
  for (std::size_t cell = 0; cell < cells; ++cell) {
    if (offsets(cell) > offsets(cell + 1)) throw std::invalid_argument("offsets must not decrease");
  }
  for (std::size_t system = 0; system < size; ++system) {
    if (offsets(system * size) == offsets(system * size + size)) {
      throw std::invalid_argument("every system needs at least one judgment");
    }
  }
}

Output<double> run_trueskill(int systems, const Offsets& offsets, const Outcomes& outcomes, std::int64_t iterations,
                             double sigma, double beta, double margin, std::uint64_t seed, std::uint64_t first_run,
                             std::int64_t count, int threads) {
  check_judgments(systems, offsets, outcomes, count);
  if (!std::isfinite(sigma) || !std::isfinite(beta) || !std::isfinite(margin)) {
    throw std::invalid_argument("sigma, beta and margin must be finite");
  }
  const auto rows = static_cast<std::size_t>(count), columns = static_cast<std::size_t>(systems);
  std::vector<double> results(table_size(rows, columns));
  {
    nb::gil_scoped_release released;
    trueskill_runs({systems, offsets.data(), outcomes.data()}, iterations, {sigma, beta, margin}, seed, first_run,
                   count, threads, results.data());
  }
  return to_numpy(std::move(results), {rows, columns});
}

void bind_trueskill(nb::module_ module) {
  module.def("rate", &rate_pair, nb::arg("mean1"), nb::arg("variance1"), nb::arg("mean2"), nb::arg("variance2"),
             nb::arg("outcome"), nb::arg("beta"), nb::arg("margin"));
  module.def("runs", &run_trueskill, nb::arg("systems"), nb::arg("offsets"), nb::arg("outcomes"), nb::arg("iterations"),
             nb::arg("sigma"), nb::arg("beta"), nb::arg("margin"), nb::arg("seed"), nb::arg("first_run"),
             nb::arg("count"), nb::arg("threads") = 1);
}

}  // namespace
}  // namespace gecbench::bindings

NB_MODULE(_native, module) {
  using namespace gecbench::bindings;
  gecbench::check_signals = [] {
    const nanobind::gil_scoped_acquire acquired;
    if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
  };
  bind_edits(module.def_submodule("edits"));
  bind_errant(module.def_submodule("errant"));
  bind_gleu(module.def_submodule("gleu"));
  bind_greedy(module.def_submodule("greedy"));
  bind_green(module.def_submodule("green"));
  bind_grouping(module.def_submodule("grouping"));
  bind_imeasure(module.def_submodule("imeasure"));
  bind_m2(module.def_submodule("m2"));
  bind_maxmatch(module.def_submodule("maxmatch"));
  bind_tokens(module.def_submodule("tokens"));
  bind_trueskill(module.def_submodule("trueskill"));
}
