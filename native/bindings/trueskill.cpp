#include "trueskill.hpp"

#include <nanobind/stl/tuple.h>

#include <stdexcept>
#include <tuple>

#include "arrays.hpp"

namespace gecbench::bindings {
namespace {

using Outcomes = Input<std::int8_t, 1>;

std::tuple<double, double, double, double> rate_pair(double mean1, double variance1, double mean2, double variance2,
                                                     int outcome, double beta, double margin) {
  Rating first{mean1, variance1}, second{mean2, variance2};
  rate(first, second, outcome, beta, margin);
  return {first.mean, first.variance, second.mean, second.variance};
}

void check(int systems, const Offsets& offsets, const Outcomes& outcomes, std::int64_t count) {
  const auto size = static_cast<std::size_t>(systems), cells = size * size;
  if (systems < 2 || count < 0 || offsets.shape(0) != cells + 1 || offsets(0) != 0 ||
      offsets(cells) != static_cast<std::int64_t>(outcomes.shape(0))) {
    throw std::invalid_argument("offsets must hold systems * systems + 1 bounds into outcomes");
  }
  for (std::size_t cell = 0; cell < cells; ++cell) {
    if (offsets(cell) > offsets(cell + 1)) throw std::invalid_argument("offsets must not fall");
  }
  for (std::size_t system = 0; system < size; ++system) {
    if (offsets(system * size) == offsets(system * size + size)) {
      throw std::invalid_argument("every system needs a judgment");
    }
  }
}

Output<double> runs(int systems, const Offsets& offsets, const Outcomes& outcomes, std::int64_t iterations,
                    double sigma, double beta, double margin, std::uint64_t seed, std::uint64_t first_run,
                    std::int64_t count, int threads) {
  check(systems, offsets, outcomes, count);
  const auto rows = static_cast<std::size_t>(count), columns = static_cast<std::size_t>(systems);
  std::vector<double> results(table_size(rows, columns));
  {
    nb::gil_scoped_release released;
    trueskill_runs({systems, offsets.data(), outcomes.data()}, iterations, {sigma, beta, margin}, seed, first_run,
                   count, threads, results.data());
  }
  return to_numpy(std::move(results), {rows, columns});
}

}  // namespace

void bind_trueskill(nb::module_ module) {
  module.def("rate", &rate_pair, nb::arg("mean1"), nb::arg("variance1"), nb::arg("mean2"), nb::arg("variance2"),
             nb::arg("outcome"), nb::arg("beta"), nb::arg("margin"));
  module.def("runs", &runs, nb::arg("systems"), nb::arg("offsets"), nb::arg("outcomes"), nb::arg("iterations"),
             nb::arg("sigma"), nb::arg("beta"), nb::arg("margin"), nb::arg("seed"), nb::arg("first_run"),
             nb::arg("count"), nb::arg("threads") = 1);
}

}  // namespace gecbench::bindings
