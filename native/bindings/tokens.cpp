#include "tokens.hpp"

#include "arrays.hpp"

namespace gecbench::bindings {
namespace {

nb::tuple intern_lines(const nb::bytes& text, const Offsets& line_offsets, bool unicode_whitespace, int threads) {
  check_offsets(line_offsets, text.size(), "line_offsets");
  const std::string_view bytes(text.c_str(), text.size());
  InternedTokens tokens;
  {
    nb::gil_scoped_release released;
    tokens = intern(bytes, line_offsets.data(), line_offsets.shape(0) - 1, unicode_whitespace, threads);
  }
  return nb::make_tuple(to_vector(std::move(tokens.ids)), to_vector(std::move(tokens.offsets)));
}

}  // namespace

void bind_tokens(nb::module_ module) {
  module.def("intern", &intern_lines, nb::arg("text"), nb::arg("line_offsets"), nb::arg("unicode_whitespace"),
             nb::arg("threads") = 1);
}

}  // namespace gecbench::bindings
