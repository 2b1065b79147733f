#include "m2.hpp"

#include "arrays.hpp"

namespace gecbench::bindings {
namespace {

nb::object read(const nb::bytes& text) {
  EditTable table;
  bool usual = false;
  {
    const std::string_view bytes(text.c_str(), text.size());
    nb::gil_scoped_release released;
    usual = read_edits(bytes, table);
  }
  if (!usual) return nb::none();
  const nb::bytes corrections(table.corrections.data(), table.corrections.size());
  const nb::bytes spelled(table.spelled.data(), table.spelled.size());
  return nb::make_tuple(to_vector(std::move(table.source_lines)), to_vector(std::move(table.row_offsets)),
                        to_vector(std::move(table.annotators)), to_vector(std::move(table.edit_offsets)),
                        to_vector(std::move(table.starts)), to_vector(std::move(table.ends)),
                        to_vector(std::move(table.alternative_offsets)), corrections,
                        to_vector(std::move(table.correction_lengths)), spelled);
}

}  // namespace

void bind_m2(nb::module_ module) {
  module.def("read_edits", &read, nb::arg("text"));
}

}  // namespace gecbench::bindings
