// The I-measure's kernel for Python; the functions are described in gecbench/kernels/threeway.py.
#include "../threeway.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <stdexcept>

#include "../threeway_mixing.hpp"
#include "arrays.hpp"

namespace gecbench::bindings {

namespace {

using namespace gecbench::threeway;
using Numbers = Input<double, 1>;
using Spans = nb::ndarray<const int32_t, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;
using Rows = nb::ndarray<const int64_t, nb::shape<-1, 15>, nb::c_contig, nb::device::cpu>;

template <typename Number>
Output<Number> vector(std::vector<Number>&& values) {
  const size_t size = values.size();
  return to_numpy(std::move(values), {size});
}

template <typename Number>
Output<Number> matrix(std::vector<Number>&& values, size_t columns) {
  const size_t rows = values.size() / columns;
  return to_numpy(std::move(values), {rows, columns});
}

// n texts, checked once so that no later access can leave the arrays.
class Texts {
 public:
  Texts(const Ids& ids, const Offsets& offsets) : ids_(ids.data()), offsets_(offsets.data()), size_(offsets.size()) {
    if (size_ == 0 || offsets_[0] != 0 || offsets_[size_ - 1] != static_cast<int64_t>(ids.size())) {
      throw std::invalid_argument("offsets must run from 0 to the number of tokens");
    }
    for (size_t n = 1; n < size_; ++n) {
      if (offsets_[n] < offsets_[n - 1]) throw std::invalid_argument("offsets must not decrease");
    }
    --size_;
  }
  size_t size() const { return size_; }
  Tokens operator[](size_t n) const {
    return {ids_ + offsets_[n], static_cast<int>(offsets_[n + 1] - offsets_[n])};
  }

 private:
  const int32_t* ids_;
  const int64_t* offsets_;
  size_t size_;
};

void check_offsets(const Offsets& offsets, size_t parts, size_t whole) {
  const int64_t* values = offsets.data();
  bool fits = offsets.size() == parts + 1 && values[0] == 0 && values[parts] == static_cast<int64_t>(whole);
  for (size_t n = 0; fits && n < parts; ++n) fits = values[n] <= values[n + 1];
  if (!fits) throw std::invalid_argument("offsets do not fit the arrays they divide");
}

Objective read_objective(const Offsets& codes, const Numbers& parameters) {
  if (codes.size() != 3 || parameters.size() != 2) throw std::invalid_argument("objective takes 3 + 2 values");
  const int64_t* code = codes.data();
  if (code[0] < 0 || code[0] > 1 || code[1] < 0 || code[1] > kMetricI) throw std::invalid_argument("unknown objective");
  return {static_cast<int>(code[0]), static_cast<int>(code[1]), code[2] != 0, parameters.data()[0],
          parameters.data()[1]};
}

Output<int32_t> align(const Ids& source, const Ids& hypothesis, const Ids& reference) {
  auto tokens = [](const Ids& ids) { return Tokens{ids.data(), static_cast<int>(ids.size())}; };
  Aligner aligner(int64_t{1} << 25);
  aligner.begin(tokens(source), tokens(hypothesis));
  aligner.align(tokens(reference));
  std::vector<int32_t> flat;
  for (const Column& column : aligner.columns) flat.insert(flat.end(), column.begin(), column.end());
  return matrix(std::move(flat), 3);
}

std::tuple<Output<int64_t>, Output<int32_t>, Output<int64_t>> count_references(
    const Ids& source_ids, const Offsets& source_offsets, const Ids& hypothesis_ids, const Offsets& hypothesis_offsets,
    const Ids& reference_ids, const Offsets& reference_offsets, const Offsets& sentence_offsets, int64_t cell_limit) {
  const Texts sources(source_ids, source_offsets), hypotheses(hypothesis_ids, hypothesis_offsets);
  const Texts references(reference_ids, reference_offsets);
  if (sources.size() != hypotheses.size()) throw std::invalid_argument("sources and hypotheses differ in number");
  check_offsets(sentence_offsets, sources.size(), references.size());
  std::vector<int64_t> counts(references.size() * 15), cells(sources.size());
  std::vector<int32_t> status(sources.size());
  {
    nb::gil_scoped_release release;
    Aligner aligner(cell_limit);
    for (size_t n = 0; n < sources.size(); ++n) {
      aligner.cells = 0;
      try {
        aligner.begin(sources[n], hypotheses[n]);
        for (int64_t row = sentence_offsets.data()[n]; row < sentence_offsets.data()[n + 1]; ++row) {
          aligner.align(references[row]);
          std::copy(aligner.counts.begin(), aligner.counts.end(), counts.begin() + row * 15);
        }
        cells[n] = aligner.cells;
      } catch (const TooLong&) {
        status[n] = kTooLong;
      }
    }
  }
  return {matrix(std::move(counts), 15), vector(std::move(status)), vector(std::move(cells))};
}

Output<int64_t> choose_listed(const Rows& counts, const Offsets& sentence_offsets, const Offsets& objective,
                              const Numbers& parameters) {
  const Objective goal = read_objective(objective, parameters);
  if (sentence_offsets.size() == 0) throw std::invalid_argument("offsets are empty");
  const size_t sentences = sentence_offsets.size() - 1;
  check_offsets(sentence_offsets, sentences, counts.shape(0));
  std::vector<int64_t> chosen(sentences);
  const auto* rows = reinterpret_cast<const Counts*>(counts.data());
  Counts total{};
  for (size_t n = 0; n < sentences; ++n) {
    const int64_t start = sentence_offsets.data()[n], end = sentence_offsets.data()[n + 1];
    if (start == end) throw std::invalid_argument("a sentence has no reference");
    chosen[n] = start + static_cast<int64_t>(best_of(rows + start, static_cast<size_t>(end - start), total, goal));
    if (goal.corpus) add(total, rows[chosen[n]]);
  }
  return vector(std::move(chosen));
}

// Groups, alternatives and edits as flat arrays, checked once.
class GroupArrays {
 public:
  GroupArrays(size_t sentences, const Offsets& groups, const Ids& optional, const Offsets& alternatives,
              const Offsets& edits, const Spans& spans, const Texts& tokens)
      : groups_(groups.data()),
        optional_(optional.data()),
        alternatives_(alternatives.data()),
        edits_(edits.data()),
        spans_(spans.data()),
        tokens_(tokens) {
    if (spans.shape(0) != tokens.size()) throw std::invalid_argument("spans and edits differ in number");
    if (edits.size() == 0) throw std::invalid_argument("offsets are empty");
    check_offsets(groups, sentences, optional.size());
    check_offsets(alternatives, optional.size(), edits.size() - 1);
    check_offsets(edits, edits.size() - 1, tokens.size());
  }
  int64_t start(size_t sentence) const { return groups_[sentence]; }
  std::vector<Group> of(size_t sentence) const {
    std::vector<Group> found;
    for (int64_t g = groups_[sentence]; g < groups_[sentence + 1]; ++g) {
      found.push_back({{}, optional_[g] != 0});
      for (int64_t a = alternatives_[g]; a < alternatives_[g + 1]; ++a) {
        Alternative alternative;
        for (int64_t e = edits_[a]; e < edits_[a + 1]; ++e) {
          alternative.push_back({spans_[2 * e], spans_[2 * e + 1], tokens_[e]});
        }
        found.back().alternatives.push_back(std::move(alternative));
      }
    }
    return found;
  }

 private:
  const int64_t* groups_;
  const int32_t* optional_;
  const int64_t *alternatives_, *edits_;
  const int32_t* spans_;
  Texts tokens_;
};

std::tuple<Output<int32_t>, Output<int64_t>, Output<int32_t>, Output<int64_t>> choose_mixed(
    const Ids& source_ids, const Offsets& source_offsets, const Ids& hypothesis_ids, const Offsets& hypothesis_offsets,
    const Offsets& group_offsets, const Ids& group_optional, const Offsets& alternative_offsets,
    const Offsets& edit_offsets, const Spans& edit_spans, const Offsets& edit_token_offsets, const Ids& edit_token_ids,
    const Offsets& objective, const Numbers& parameters, const Offsets& limits) {
  const Texts sources(source_ids, source_offsets), hypotheses(hypothesis_ids, hypothesis_offsets);
  if (sources.size() != hypotheses.size()) throw std::invalid_argument("sources and hypotheses differ in number");
  if (limits.size() != 4) throw std::invalid_argument("limits takes 4 values");
  const GroupArrays groups(sources.size(), group_offsets, group_optional, alternative_offsets, edit_offsets, edit_spans,
                           Texts(edit_token_ids, edit_token_offsets));
  const Objective goal = read_objective(objective, parameters);
  const Limits bounds{limits.data()[0], limits.data()[1], limits.data()[2], limits.data()[3]};
  std::vector<int32_t> choices(group_optional.size()), status(sources.size());
  std::vector<int64_t> rows, work;
  {
    nb::gil_scoped_release release;
    Counts total{}, counts{};
    for (size_t n = 0; n < sources.size(); ++n) {
      const std::vector<Group> mine = groups.of(n);
      MixedSentence sentence(sources[n], hypotheses[n], mine, bounds);
      status[n] = sentence.choose(total, goal, choices.data() + groups.start(n), counts);
      if (goal.corpus) add(total, counts);
      rows.insert(rows.end(), counts.begin(), counts.end());
      const Work& done = sentence.work;
      for (int64_t value : {done.asked, done.alignments, done.cells, done.segments}) work.push_back(value);
    }
  }
  return {vector(std::move(choices)), matrix(std::move(rows), 15), vector(std::move(status)),
          matrix(std::move(work), 4)};
}

}  // namespace

void bind_threeway(nb::module_ module) {
  module.def("align", &align);
  module.def("count_references", &count_references);
  module.def("choose_listed", &choose_listed);
  module.def("choose_mixed", &choose_mixed);
}

}  // namespace gecbench::bindings
