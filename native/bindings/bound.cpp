#include "bound.hpp"

#include <stdexcept>

#include "arrays.hpp"

namespace gecbench::bindings {
namespace {

using Counts = Input<std::int64_t, 4>;
using Present = Input<bool, 2>;
using Subsets = Input<std::uint32_t, 1>;

void check(const Counts& counts, const Present& present, const Subsets& subsets) {
  const std::size_t annotators = counts.shape(2);
  if (annotators < 1 || annotators > 31 || counts.shape(3) != 3) {
    throw std::invalid_argument("counts must be [authors, sentences, 1 to 31 annotators, 3]");
  }
  if (present.shape(0) != counts.shape(1) || present.shape(1) != annotators) {
    throw std::invalid_argument("present must be [sentences, annotators]");
  }
  for (std::size_t subset = 0; subset < subsets.shape(0); ++subset) {
    if (subsets(subset) == 0 || subsets(subset) >> annotators != 0) {
      throw std::invalid_argument("a subset is empty or names an annotator that does not exist");
    }
  }
}

Output<std::int64_t> totals_of_subsets(const Counts& counts, const Present& present, const Subsets& subsets,
                                       double beta, int threads) {
  check(counts, present, subsets);
  const std::size_t authors = counts.shape(0), chosen = subsets.shape(0);
  const EditCounts edits{static_cast<std::int64_t>(authors), static_cast<std::int64_t>(counts.shape(1)),
                         static_cast<int>(counts.shape(2)), counts.data(), present.data()};
  std::vector<std::int64_t> totals(authors * chosen * 3);
  {
    nb::gil_scoped_release released;
    greedy_totals(edits, subsets.data(), static_cast<std::int64_t>(chosen), beta, threads, totals.data());
  }
  return to_numpy(std::move(totals), {authors, chosen, std::size_t{3}});
}

}  // namespace

void bind_bound(nb::module_ module) {
  module.def("greedy_totals", &totals_of_subsets, nb::arg("counts"), nb::arg("present"), nb::arg("subsets"),
             nb::arg("beta"), nb::arg("threads") = 1);
}

}  // namespace gecbench::bindings
