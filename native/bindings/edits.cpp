#include "edits.hpp"

#include "arrays.hpp"

namespace gecbench::bindings {
namespace {

nb::tuple find_changes(nb::handle sources, nb::handle rewrites, const Offsets& rewrite_rows) {
  const TokenArray before = read_tokens(sources), after = read_tokens(rewrites);
  check_size(rewrite_rows.size(), before.size + 1, "rewrite_rows");
  check_offsets(rewrite_rows, after.size, "rewrite_rows");
  ChangedSpans found;
  {
    nb::gil_scoped_release released;
    found = changed_spans(before, after, rewrite_rows.data());
  }
  return nb::make_tuple(to_matrix(std::move(found.spans), 4), to_vector(std::move(found.offsets)));
}

}  // namespace

void bind_edits(nb::module_ module) {
  module.def("changed_spans", &find_changes, nb::arg("sources"), nb::arg("rewrites"), nb::arg("rewrite_rows"));
}

}  // namespace gecbench::bindings
