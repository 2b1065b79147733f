// Reference draws of the official GLEU script, as CPython 2 and CPython 3 make them.
#pragma once

#include <cstdint>

namespace gecbench {

enum class Generator { python2, python3 };

// rows[d * sentences + i] = row drawn for sentence i in iteration first_iteration + d.
void draw_rows(const std::int64_t* row_offsets, std::int64_t sentences, std::int64_t first_iteration,
               std::int64_t iterations, Generator generator, std::int64_t* rows);

// totals[d * width ...] = sum over the sentences of the counts of the row drawn in iteration d.
void sampled_totals(const std::int64_t* counts, std::int64_t width, const std::int64_t* row_offsets,
                    std::int64_t sentences, std::int64_t iterations, Generator generator, std::int64_t* totals);

}  // namespace gecbench
