#include "gleu.hpp"

#include <nanobind/stl/optional.h>

#include "../mersenne_twister.hpp"
#include "arrays.hpp"

namespace gecbench::bindings {
namespace {

Generator generator_of(bool python3) {
  return python3 ? Generator::kPython3 : Generator::kPython2;
}

// There is a row to draw for every sentence, and the seeds, 101 times the iteration, have 32 bits.
void check_rows(const Offsets& row_offsets, std::int64_t first_iteration, std::int64_t iterations) {
  constexpr std::int64_t most = (std::int64_t{1} << 32) / 101;
  const std::size_t size = row_offsets.size();
  bool fits = size > 0 && row_offsets(0) == 0;
  for (std::size_t index = 1; fits && index < size; ++index) fits = row_offsets(index - 1) < row_offsets(index);
  if (!fits) throw std::invalid_argument("row_offsets must rise from 0");
  if (first_iteration < 0 || iterations < 0 || iterations > most || first_iteration > most - iterations) {
    throw std::invalid_argument("iterations are 0 to " + std::to_string(most));
  }
}

Output<std::int64_t> count(nb::handle sources, nb::handle hypotheses, nb::handle references,
                           const Offsets& reference_rows, int order, bool multiset, int threads) {
  const TokenArray source = read_tokens(sources), hypothesis = read_tokens(hypotheses);
  const TokenArray reference = read_tokens(references);
  check_size(hypothesis.size, source.size, "hypotheses");
  check_order(order);
  check_size(reference_rows.size(), source.size + 1, "reference_rows");
  check_offsets(reference_rows, reference.size, "reference_rows");
  const std::size_t width = 2 + 2 * static_cast<std::size_t>(order);
  Unfilled<std::int64_t> counts(reference.size, width);
  {
    nb::gil_scoped_release released;
    gleu_counts(source, hypothesis, reference, reference_rows.data(), order, multiset, threads, counts.data());
  }
  return std::move(counts).to_numpy();
}

Output<std::int64_t> rows(const Offsets& row_offsets, std::int64_t first_iteration, std::int64_t iterations,
                          bool python3, int threads) {
  check_rows(row_offsets, first_iteration, iterations);
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

void check_states(const States& states, std::int64_t iterations) {
  check_size(states.shape(0), iterations, "states");
  for (std::size_t d = 0; d < states.shape(0); ++d) {
    if (states(d, MersenneTwister::kStateWords - 1) >= MersenneTwister::kStateWords)
      throw std::invalid_argument("a state has a place beyond its words");
  }
}

Output<std::int64_t> totals(const Matrix& counts, const Offsets& row_offsets, std::int64_t iterations, bool python3,
                            int threads, const std::optional<States>& states) {
  check_rows(row_offsets, 0, iterations);
  if (states) check_states(*states, iterations);
  check_offsets(row_offsets, counts.shape(0), "row_offsets");
  check_counts(counts);
  const std::size_t width = counts.shape(1);
  std::vector<std::int64_t> sums(table_size(iterations, width));
  {
    nb::gil_scoped_release released;
    sampled_totals(counts.data(), width, row_offsets.data(), row_offsets.shape(0) - 1, iterations,
                   generator_of(python3), threads, states ? states->data() : nullptr, sums.data());
  }
  return to_numpy(std::move(sums), {static_cast<std::size_t>(iterations), width});
}

}  // namespace

void bind_gleu(nb::module_ module) {
  module.def("gleu_counts", &count, nb::arg("sources"), nb::arg("hypotheses"), nb::arg("references"),
             nb::arg("reference_rows"), nb::arg("order"), nb::arg("multiset"), nb::arg("threads") = 1);
  module.def("draw_rows", &rows, nb::arg("row_offsets"), nb::arg("first_iteration"), nb::arg("iterations"),
             nb::arg("python3"), nb::arg("threads") = 1);
  module.def("sampled_totals", &totals, nb::arg("counts"), nb::arg("row_offsets"), nb::arg("iterations"),
             nb::arg("python3"), nb::arg("threads") = 1, nb::arg("states") = nb::none());
  module.def("generator_states", &initial_states, nb::arg("iterations"));
}

}  // namespace gecbench::bindings
