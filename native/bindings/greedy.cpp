#include "greedy.hpp"

#include "arrays.hpp"

namespace gecbench::bindings {
namespace {

using Rows = nb::ndarray<const std::int64_t, nb::shape<-1, 3>, nb::c_contig, nb::device::cpu>;
using Samples = Input<std::int32_t, 2>;
using Counts = Input<std::int64_t, 4>;
using Present = Input<bool, 2>;
using Subsets = Input<std::uint32_t, 1>;

// Numbers that are not negative are compared by their bits.
template <typename Array>
void check_edits(const Array& counts, double beta_squared) {
  check_counts(counts, false);
  if (!(beta_squared >= 0)) throw std::invalid_argument("beta_squared must not be negative");
}

Output<std::int64_t> choose_rows(const Rows& counts, const Offsets& row_offsets, double beta_squared, bool rounded) {
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

Output<std::int64_t> sample_totals(const Rows& counts, const Offsets& row_offsets, double beta_squared,
                                   const Samples& samples, int threads, bool rounded) {
  check_offsets(row_offsets, counts.shape(0), "row_offsets");
  check_edits(counts, beta_squared);
  const auto sentences = static_cast<std::int64_t>(row_offsets.size()) - 1;
  for (std::size_t index = 0; index < samples.size(); ++index) {
    if (samples.data()[index] < 0 || samples.data()[index] >= sentences) {
      throw std::invalid_argument("a sample names a sentence that does not exist");
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

Output<std::int64_t> subset_totals(const Counts& counts, const Present& present, const Subsets& subsets,
                                   double beta_squared, int threads, bool rounded) {
  check(counts, present, subsets);
  check_edits(counts, beta_squared);
  const std::size_t authors = counts.shape(0), chosen = subsets.shape(0);
  const greedy::AnnotatorCounts edits{static_cast<std::int64_t>(authors), static_cast<std::int64_t>(counts.shape(1)),
                                      static_cast<int>(counts.shape(2)), counts.data(), present.data()};
  std::vector<std::int64_t> totals(table_size(authors * 3, chosen));
  {
    nb::gil_scoped_release released;
    greedy::subset_totals(edits, subsets.data(), static_cast<std::int64_t>(chosen), {beta_squared, rounded}, threads,
                          totals.data());
  }
  return to_numpy(std::move(totals), {authors, chosen, std::size_t{3}});
}

}  // namespace

void bind_greedy(nb::module_ module) {
  module.def("choose_rows", &choose_rows, nb::arg("counts"), nb::arg("row_offsets"), nb::arg("beta_squared"),
             nb::arg("rounded") = false);
  module.def("sample_totals", &sample_totals, nb::arg("counts"), nb::arg("row_offsets"), nb::arg("beta_squared"),
             nb::arg("samples"), nb::arg("threads") = 1, nb::arg("rounded") = false);
  module.def("subset_totals", &subset_totals, nb::arg("counts"), nb::arg("present"), nb::arg("subsets"),
             nb::arg("beta_squared"), nb::arg("threads") = 1, nb::arg("rounded") = false);
}

}  // namespace gecbench::bindings
