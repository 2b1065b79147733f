// Where a rewrite differs from its source: an alignment of tokens at unit costs (docs/metrics/m2.md §15). Of
// several alignments of least cost it is the one that, read from the end, keeps or replaces rather than deletes, and
// deletes rather than inserts; tokens shared at the start are always kept. Neighboring changes are one. Python
// reference: gecbench/kernels/edits.py.
#pragma once

#include <vector>

#include "tokens.hpp"

namespace gecbench {

// Rows of four: source tokens [start, end) became rewrite tokens [first, last). The changes of rewrite r are rows
// offsets[r] .. offsets[r + 1].
struct ChangedSpans {
  std::vector<std::int32_t> spans;
  std::vector<std::int64_t> offsets;
};

// The rewrites of source i are the rows rewrite_rows[i] .. rewrite_rows[i + 1].
ChangedSpans changed_spans(const TokenArray& sources, const TokenArray& rewrites, const std::int64_t* rewrite_rows);

}  // namespace gecbench
