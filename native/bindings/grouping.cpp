#include "grouping.hpp"

#include "arrays.hpp"

namespace gecbench::bindings {
namespace {

using Spans = nb::ndarray<const std::int32_t, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;

nb::tuple group(const Offsets& sentence_offsets, const Ids& annotators, const Spans& spans, nb::handle texts,
                const Ids& people) {
  const TokenArray tokens = read_tokens(texts);
  check_size(annotators.size(), tokens.size, "annotators");
  check_size(spans.shape(0), tokens.size, "spans");
  check_size(sentence_offsets.size(), people.size() + 1, "sentence_offsets");
  check_offsets(sentence_offsets, tokens.size, "sentence_offsets");
  GroupLayout layout;
  {
    nb::gil_scoped_release released;
    layout = group_edits({sentence_offsets.data(), static_cast<std::int64_t>(people.size()), annotators.data(),
                          spans.data(), tokens, people.data()});
  }
  return nb::make_tuple(to_vector(std::move(layout.group_offsets)), to_vector(std::move(layout.optional)),
                        to_vector(std::move(layout.alternative_offsets)), to_vector(std::move(layout.edit_offsets)),
                        to_vector(std::move(layout.member_offsets)), to_vector(std::move(layout.members)),
                        to_vector(std::move(layout.bridged)));
}

}  // namespace

void bind_grouping(nb::module_ module) {
  module.def("group_edits", &group, nb::arg("sentence_offsets"), nb::arg("annotators"), nb::arg("spans"),
             nb::arg("texts"), nb::arg("people"));
}

}  // namespace gecbench::bindings
