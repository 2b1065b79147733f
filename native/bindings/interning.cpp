#include "interning.hpp"

#include "arrays.hpp"

namespace gecbench::bindings {
namespace {

nb::tuple intern_lines(nb::bytes text, const Offsets& line_offsets, bool unicode_whitespace) {
  InternedTokens tokens;
  const char* characters = text.c_str();
  {
    nb::gil_scoped_release released;
    tokens = intern(characters, line_offsets.data(), line_offsets.shape(0) - 1, unicode_whitespace);
  }
  const std::size_t ids = tokens.ids.size(), offsets = tokens.offsets.size();
  return nb::make_tuple(to_numpy(std::move(tokens.ids), {ids}), to_numpy(std::move(tokens.offsets), {offsets}));
}

}  // namespace

void bind_interning(nb::module_ module) {
  module.def("intern", &intern_lines, nb::arg("text"), nb::arg("line_offsets"), nb::arg("unicode_whitespace"));
}

}  // namespace gecbench::bindings
