#include "overlap.hpp"

#include "arrays.hpp"

namespace gecbench::bindings {
namespace {

Output<std::int32_t> share(const nb::bytes& left, const Offsets& left_offsets, const nb::bytes& right,
                           const Offsets& right_offsets) {
  check_offsets(left_offsets, left.size(), "left_offsets");
  check_offsets(right_offsets, right.size(), "right_offsets");
  check_size(right_offsets.size(), left_offsets.size(), "right_offsets");
  const std::size_t pairs = left_offsets.size() - 1;
  const Lines ours{{left.c_str(), left.size()}, left_offsets.data()};
  const Lines theirs{{right.c_str(), right.size()}, right_offsets.data()};
  std::vector<std::int32_t> rows(pairs * 4);
  {
    nb::gil_scoped_release released;
    count_shared(ours, theirs, static_cast<std::int64_t>(pairs), rows.data());
  }
  return to_matrix(std::move(rows), 4);
}

}  // namespace

void bind_overlap(nb::module_ module) {
  module.def("count_shared", &share, nb::arg("left"), nb::arg("left_offsets"), nb::arg("right"),
             nb::arg("right_offsets"));
}

}  // namespace gecbench::bindings
