#include "errant.hpp"

#include <nanobind/stl/string.h>

#include "arrays.hpp"

namespace gecbench::bindings {
namespace {

errant::Mode mode_of(const std::string& name) {
  if (name == "cs") return errant::Mode::correction;
  if (name == "cse") return errant::Mode::correction_and_type;
  if (name == "ds") return errant::Mode::span;
  if (name == "dt") return errant::Mode::token;
  throw std::invalid_argument("the mode must be cs, cse, ds or dt");
}

errant::Selection read_selection(nb::handle bundle) {
  errant::Selection selection{mode_of(nb::cast<std::string>(bundle.attr("mode"))),
                              scalar<bool>(bundle, "single"),
                              scalar<bool>(bundle, "multi"),
                              scalar<bool>(bundle, "once"),
                              {}};
  for (nb::handle type : bundle.attr("filtered")) selection.filtered.push_back(nb::cast<std::string>(type));
  return selection;
}

nb::object count_files(const nb::bytes& hypothesis, const nb::bytes& reference, nb::handle selection) {
  const errant::Selection chosen = read_selection(selection);
  errant::PairCounts counts;
  bool usual = false;
  {
    nb::gil_scoped_release released;
    usual = errant::count_files({hypothesis.c_str(), hypothesis.size()}, {reference.c_str(), reference.size()}, chosen,
                                counts);
  }
  if (!usual) return nb::none();
  return nb::make_tuple(to_matrix(std::move(counts.rows), 3), to_vector(std::move(counts.offsets)));
}

nb::object tally_files(const nb::bytes& hypothesis, const nb::bytes& reference, nb::handle selection,
                       const Offsets& chosen) {
  const errant::Selection options = read_selection(selection);
  errant::TypeCounts counts;
  bool usual = false;
  {
    nb::gil_scoped_release released;
    usual = errant::tally_files({hypothesis.c_str(), hypothesis.size()}, {reference.c_str(), reference.size()}, options,
                                chosen.data(), static_cast<std::int64_t>(chosen.size()), counts);
  }
  if (!usual) return nb::none();
  nb::dict found;
  for (const auto& row : counts.types) {
    nb::list three;
    for (const std::int64_t count : row.counts) three.append(count);
    found[nb::str(row.type.data(), row.type.size())] = three;
  }
  return found;
}

}  // namespace

void bind_errant(nb::module_ module) {
  module.def("count_files", &count_files, nb::arg("hypothesis"), nb::arg("reference"), nb::arg("selection"));
  module.def("tally_files", &tally_files, nb::arg("hypothesis"), nb::arg("reference"), nb::arg("selection"),
             nb::arg("chosen"));
}

}  // namespace gecbench::bindings
