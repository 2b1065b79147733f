// The spans in which a rewrite differs from its source, by an alignment of tokens with unit costs (docs/metrics/m2.md
// §15). Tokens shared at the start are always kept. The rest is traced back from the end. On ties, keep or replace is
// preferred to delete, and delete to insert. Neighboring changes are joined. Python reference:
// gecbench/kernels/edits.py.
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
