#include "bleu.hpp"

#include "arrays.hpp"

namespace gecbench::bindings {
namespace {

Output<std::int64_t> count(nb::handle hypotheses, nb::handle references, const Offsets& reference_rows, int order,
                           int threads) {
  const TokenArray hypothesis = read_tokens(hypotheses), reference = read_tokens(references);
  check_size(reference_rows.size(), hypothesis.size + 1, "reference_rows");
  check_offsets(reference_rows, reference.size, "reference_rows");
  for (std::int64_t i = 0; i < hypothesis.size; ++i) {
    if (reference_rows(i) == reference_rows(i + 1)) throw std::invalid_argument("a sentence has no reference_rows");
  }
  check_order(order);
  const std::size_t width = 3 + 2 * static_cast<std::size_t>(order);
  std::vector<std::int64_t> counts(table_size(hypothesis.size, width));
  {
    nb::gil_scoped_release released;
    bleu_counts(hypothesis, reference, reference_rows.data(), order, threads, counts.data());
  }
  return to_matrix(std::move(counts), width);
}

}  // namespace

void bind_bleu(nb::module_ module) {
  module.def("bleu_counts", &count, nb::arg("hypotheses"), nb::arg("references"), nb::arg("reference_rows"),
             nb::arg("order"), nb::arg("threads") = 1);
}

}  // namespace gecbench::bindings
