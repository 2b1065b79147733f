#include "ngrams.hpp"

#include "arrays.hpp"

namespace gecbench::bindings {
namespace {

TokenView view(const Ids& ids, const Offsets& offsets) {
  return TokenView{ids.data(), offsets.data(), static_cast<std::int64_t>(offsets.shape(0)) - 1};
}

Output<std::int64_t> count(const Ids& source_ids, const Offsets& source_offsets, const Ids& hypothesis_ids,
                           const Offsets& hypothesis_offsets, const Ids& reference_ids,
                           const Offsets& reference_offsets, const Offsets& reference_rows, int order,
                           bool multiset) {
  const std::size_t rows = reference_offsets.shape(0) - 1, width = 2 + 2 * static_cast<std::size_t>(order);
  std::vector<std::int64_t> counts(rows * width);
  {
    nb::gil_scoped_release released;
    gleu_counts(view(source_ids, source_offsets), view(hypothesis_ids, hypothesis_offsets),
                view(reference_ids, reference_offsets), reference_rows.data(), order, multiset, counts.data());
  }
  return to_numpy(std::move(counts), {rows, width});
}

}  // namespace

void bind_ngrams(nb::module_ module) {
  module.def("gleu_counts", &count, nb::arg("source_ids"), nb::arg("source_offsets"), nb::arg("hypothesis_ids"),
             nb::arg("hypothesis_offsets"), nb::arg("reference_ids"), nb::arg("reference_offsets"),
             nb::arg("reference_rows"), nb::arg("order"), nb::arg("multiset"));
}

}  // namespace gecbench::bindings
