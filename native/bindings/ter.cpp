#include "ter.hpp"

#include "arrays.hpp"

namespace gecbench::bindings {
namespace {

Output<std::int64_t> edits(nb::handle hypotheses, nb::handle references, int threads) {
  const TokenArray hypothesis = read_tokens(hypotheses), reference = read_tokens(references);
  check_size(reference.size, hypothesis.size, "references");
  std::vector<std::int64_t> found(hypothesis.size);
  {
    nb::gil_scoped_release released;
    ter_edits(hypothesis, reference, threads, found.data());
  }
  return to_vector(std::move(found));
}

}  // namespace

void bind_ter(nb::module_ module) {
  module.def("ter_edits", &edits, nb::arg("hypotheses"), nb::arg("references"), nb::arg("threads") = 1);
}

}  // namespace gecbench::bindings
