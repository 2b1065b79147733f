// The best sum of counts over a product of independent choices (Dinkelbach 1967).
#pragma once

#include <optional>
#include <vector>

#include "imeasure/keys.hpp"

namespace gecbench::imeasure {

// Pick one row of each segment so that their sum and the offset is best by the official keys; nothing if more than
// sum_limit distinct sums arise. Of equally good picks it is the first, later segments varying fastest.
std::optional<std::vector<std::size_t>> pick_best(const std::vector<std::vector<Counts>>& segments,
                                                  const Counts& offset, const Objective& goal, std::size_t sum_limit);

}  // namespace gecbench::imeasure
