#include "tokens.hpp"

#include "arrays.hpp"

namespace gecbench::bindings {
namespace {

InternedTokens read_lines(const nb::bytes& text, const Offsets& line_offsets, bool unicode_whitespace,
                          bool list_vocabulary, int threads) {
  check_offsets(line_offsets, text.size(), "line_offsets");
  const std::string_view bytes(text.c_str(), text.size());
  nb::gil_scoped_release released;
  return intern(bytes, line_offsets.data(), line_offsets.shape(0) - 1, unicode_whitespace, list_vocabulary, threads);
}

nb::tuple intern_lines(const nb::bytes& text, const Offsets& line_offsets, bool unicode_whitespace, int threads) {
  InternedTokens tokens = read_lines(text, line_offsets, unicode_whitespace, false, threads);
  return nb::make_tuple(to_vector(std::move(tokens.ids)), to_vector(std::move(tokens.offsets)));
}

nb::tuple list_vocabulary(const nb::bytes& text, const Offsets& line_offsets, bool unicode_whitespace, int threads) {
  InternedTokens tokens = read_lines(text, line_offsets, unicode_whitespace, true, threads);
  const nb::bytes vocabulary(tokens.vocabulary.data(), tokens.vocabulary.size());
  return nb::make_tuple(to_vector(std::move(tokens.ids)), to_vector(std::move(tokens.offsets)), vocabulary,
                        to_vector(std::move(tokens.lengths)));
}

}  // namespace

void bind_tokens(nb::module_ module) {
  module.def("intern", &intern_lines, nb::arg("text"), nb::arg("line_offsets"), nb::arg("unicode_whitespace"),
             nb::arg("threads") = 1);
  module.def("intern_and_list", &list_vocabulary, nb::arg("text"), nb::arg("line_offsets"),
             nb::arg("unicode_whitespace"), nb::arg("threads") = 1);
}

}  // namespace gecbench::bindings
