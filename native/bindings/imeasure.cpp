#include <nanobind/stl/tuple.h>

#include <algorithm>

#include "arrays.hpp"
#include "imeasure/corpus.hpp"

namespace gecbench::bindings {
namespace {

using imeasure::GroupArrays;
using imeasure::Limits;
using imeasure::Objective;
using Spans = nb::ndarray<const std::int32_t, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;
using Rows = nb::ndarray<const std::int64_t, nb::shape<-1, 15>, nb::c_contig, nb::device::cpu>;

Objective read_objective(nb::handle bundle) {
  const Objective objective{scalar<int>(bundle, "aspect"), scalar<int>(bundle, "metric"),
                            scalar<bool>(bundle, "corpus"), scalar<double>(bundle, "weight"),
                            scalar<double>(bundle, "beta")};
  if (objective.aspect < 0 || objective.aspect > 1 || objective.metric < 0 || objective.metric > imeasure::kMetricI) {
    throw std::invalid_argument("unknown objective");
  }
  return objective;
}

Limits read_limits(nb::handle bundle) {
  return {scalar<std::int64_t>(bundle, "listed"), scalar<std::int64_t>(bundle, "segment"),
          scalar<std::int64_t>(bundle, "sums"), scalar<std::int64_t>(bundle, "cells"),
          scalar<std::int64_t>(bundle, "work")};
}

GroupArrays read_groups(nb::handle bundle, std::size_t sentences) {
  const auto group_offsets = array<Offsets>(bundle, "group_offsets");
  const auto optional = array<Ids>(bundle, "optional");
  const auto alternative_offsets = array<Offsets>(bundle, "alternative_offsets");
  const auto edit_offsets = array<Offsets>(bundle, "edit_offsets");
  const auto spans = array<Spans>(bundle, "spans");
  const TokenArray corrections = read_tokens(bundle.attr("corrections"));
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
  const auto tokens = [](const Ids& ids) { return TokenSpan{ids.data(), static_cast<std::int32_t>(ids.size())}; };
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
  const TokenArray source = read_tokens(sources), hypothesis = read_tokens(hypotheses);
  const TokenArray reference = read_tokens(references);
  check_size(hypothesis.size, source.size, "hypotheses");
  check_size(sentence_offsets.size(), source.size + 1, "sentence_offsets");
  check_offsets(sentence_offsets, reference.size, "sentence_offsets");
  imeasure::ReferenceCounts found;
  {
    nb::gil_scoped_release released;
    found = imeasure::count_references(source, hypothesis, reference, sentence_offsets.data(), cell_limit, threads);
  }
  return {to_matrix(std::move(found.counts), 15), to_vector(std::move(found.status)),
          to_vector(std::move(found.cells))};
}

Output<std::int64_t> choose_listed(const Rows& counts, const Offsets& sentence_offsets, nb::handle goal) {
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
  const TokenArray source = read_tokens(sources), hypothesis = read_tokens(hypotheses);
  check_size(hypothesis.size, source.size, "hypotheses");
  const GroupArrays groups = read_groups(gold, source.size);
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

}  // namespace

void bind_imeasure(nb::module_ module) {
  module.def("align", &align, nb::arg("source"), nb::arg("hypothesis"), nb::arg("reference"));
  module.def("count_references", &count_references, nb::arg("sources"), nb::arg("hypotheses"), nb::arg("references"),
             nb::arg("sentence_offsets"), nb::arg("cell_limit"), nb::arg("threads") = 1);
  module.def("choose_listed", &choose_listed, nb::arg("counts"), nb::arg("sentence_offsets"), nb::arg("objective"));
  module.def("choose_mixed", &choose_mixed, nb::arg("sources"), nb::arg("hypotheses"), nb::arg("gold"),
             nb::arg("objective"), nb::arg("limits"), nb::arg("threads") = 1);
}

}  // namespace gecbench::bindings
