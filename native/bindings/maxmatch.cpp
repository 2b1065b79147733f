// Python face of the MaxMatch kernel; same names and arguments as gecbench/kernels/maxmatch.py.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <optional>
#include <stdexcept>
#include <string>

#include "../maxmatch.hpp"

namespace nb = nanobind;
using namespace nb::literals;
namespace mm = gecbench::maxmatch;

namespace {

using Integers = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Offsets = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using CountRows = nb::ndarray<const std::int64_t, nb::shape<-1, 3>, nb::c_contig, nb::device::cpu>;
using Samples = nb::ndarray<const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// A new array that owns its memory.
template <typename Value>
nb::ndarray<nb::numpy, Value> make_array(Value* values, std::initializer_list<std::size_t> shape) {
    nb::capsule owner(values, [](void* memory) noexcept { delete[] static_cast<Value*>(memory); });
    return nb::ndarray<nb::numpy, Value>(values, shape, owner);
}

void check_offsets(const Offsets& offsets, std::size_t size, const char* name) {
    if (offsets.size() == 0 || offsets(0) != 0) throw std::invalid_argument(std::string(name) + " must begin with 0");
    for (std::size_t index = 1; index < offsets.size(); ++index)
        if (offsets(index) < offsets(index - 1)) throw std::invalid_argument(std::string(name) + " must not decrease");
    if (offsets(offsets.size() - 1) != static_cast<std::int64_t>(size))
        throw std::invalid_argument(std::string(name) + " must end with the number of items");
}

mm::TokenArray token_array(const Integers& ids, const Offsets& offsets, const char* name) {
    check_offsets(offsets, ids.size(), name);
    return {ids.data(), offsets.data()};
}

mm::EditArray edit_array(const Integers& starts, const Integers& ends, const Offsets& alternative_offsets,
                         const Integers& correction_ids, const Offsets& correction_offsets) {
    if (starts.size() != ends.size()) throw std::invalid_argument("edit_starts and edit_ends differ in length");
    const auto corrections = token_array(correction_ids, correction_offsets, "correction_offsets");
    check_offsets(alternative_offsets, correction_offsets.size() - 1, "alternative_offsets");
    if (alternative_offsets.size() != starts.size() + 1)
        throw std::invalid_argument("alternative_offsets must have one more item than edit_starts");
    return {starts.data(), ends.data(), alternative_offsets.data(), corrections};
}

// Options of one call, with the folded characters they may point to.
struct Options {
    mm::TokenArray folded;
    mm::Settings settings;
    std::int64_t vocabulary = 0;

    Options(std::int32_t max_unchanged_words, const std::string& release, const std::optional<Integers>& characters,
            const std::optional<Offsets>& offsets, std::int64_t arc_limit) {
        if (release != "master" && release != "3.2")
            throw std::invalid_argument("release is 'master' or '3.2', not '" + release + "'");
        if (max_unchanged_words < 0) throw std::invalid_argument("max_unchanged_words is 0 or more");
        settings.max_unchanged_words = max_unchanged_words;
        settings.release = release == "3.2" ? mm::Release::version_3_2 : mm::Release::master;
        settings.arc_limit = arc_limit;
        if (!characters || !offsets) return;
        folded = token_array(*characters, *offsets, "folded_offsets");
        vocabulary = static_cast<std::int64_t>(offsets->size()) - 1;
        settings.folded = &folded;
    }

    void check_tokens(const Integers& ids) const {
        for (std::size_t index = 0; settings.folded != nullptr && index < ids.size(); ++index)
            if (ids(index) < 0 || ids(index) >= vocabulary)
                throw std::invalid_argument("a token id has no folded characters");
    }
};

nb::tuple match_corpus(const Integers& source_ids, const Offsets& source_offsets, const Integers& hypothesis_ids,
                       const Offsets& hypothesis_offsets, const Offsets& annotator_offsets, const Offsets& edit_offsets,
                       const Integers& edit_starts, const Integers& edit_ends, const Offsets& alternative_offsets,
                       const Integers& correction_ids, const Offsets& correction_offsets,
                       std::int32_t max_unchanged_words, const std::string& release,
                       const std::optional<Integers>& folded_characters, const std::optional<Offsets>& folded_offsets,
                       std::int64_t arc_limit) {
    const Options options(max_unchanged_words, release, folded_characters, folded_offsets, arc_limit);
    mm::Corpus corpus;
    corpus.sentences = static_cast<std::int64_t>(source_offsets.size()) - 1;
    corpus.sources = token_array(source_ids, source_offsets, "source_offsets");
    corpus.hypotheses = token_array(hypothesis_ids, hypothesis_offsets, "hypothesis_offsets");
    corpus.edits = edit_array(edit_starts, edit_ends, alternative_offsets, correction_ids, correction_offsets);
    check_offsets(edit_offsets, edit_starts.size(), "edit_offsets");
    check_offsets(annotator_offsets, edit_offsets.size() - 1, "annotator_offsets");
    if (hypothesis_offsets.size() != source_offsets.size() || annotator_offsets.size() != source_offsets.size())
        throw std::invalid_argument("sources, hypotheses and annotators differ in number");
    options.check_tokens(source_ids);
    options.check_tokens(hypothesis_ids);
    corpus.annotator_offsets = annotator_offsets.data();
    corpus.edit_offsets = edit_offsets.data();
    const std::size_t rows = edit_offsets.size() - 1;
    auto* counts = new std::int64_t[3 * rows];
    auto counts_array = make_array(counts, {rows, 3});
    auto* settled = new std::int8_t[rows];
    auto settled_array = make_array(settled, {rows});
    {
        nb::gil_scoped_release unlocked;
        mm::match_corpus(corpus, options.settings, reinterpret_cast<mm::Counts*>(counts), settled);
    }
    return nb::make_tuple(counts_array, settled_array);
}

nb::tuple match_sentence(const Integers& source_ids, const Integers& hypothesis_ids, const Integers& edit_starts,
                         const Integers& edit_ends, const Offsets& alternative_offsets, const Integers& correction_ids,
                         const Offsets& correction_offsets, std::int32_t max_unchanged_words,
                         const std::string& release, const std::optional<Integers>& folded_characters,
                         const std::optional<Offsets>& folded_offsets, std::int64_t arc_limit) {
    const Options options(max_unchanged_words, release, folded_characters, folded_offsets, arc_limit);
    const auto edits = edit_array(edit_starts, edit_ends, alternative_offsets, correction_ids, correction_offsets);
    options.check_tokens(source_ids);
    options.check_tokens(hypothesis_ids);
    const mm::GoldEdits golds{&edits, 0, static_cast<std::int64_t>(edit_starts.size())};
    const mm::TokenSpan source{source_ids.data(), static_cast<std::int64_t>(source_ids.size())};
    const mm::TokenSpan hypothesis{hypothesis_ids.data(), static_cast<std::int64_t>(hypothesis_ids.size())};
    std::int8_t settled = 0;
    std::vector<mm::PathEdit> path;
    mm::Counts counts;
    {
        nb::gil_scoped_release unlocked;
        counts = mm::match_sentence(source, hypothesis, golds, options.settings, settled, path);
    }
    auto* numbers = new std::int64_t[3]{counts.correct, counts.proposed, counts.gold};
    auto counts_array = make_array(numbers, {3});
    auto* spans = new std::int32_t[4 * path.size()];
    for (std::size_t index = 0; index < path.size(); ++index) {
        const mm::PathEdit& edit = path[index];
        std::int32_t* span = spans + 4 * index;
        span[0] = edit.start, span[1] = edit.end, span[2] = edit.hypothesis_start, span[3] = edit.hypothesis_end;
    }
    return nb::make_tuple(counts_array, int{settled}, make_array(spans, {path.size(), 4}));
}

nb::ndarray<nb::numpy, std::int64_t> greedy_choice(const CountRows& counts, const Offsets& annotator_offsets,
                                                   double beta_squared) {
    check_offsets(annotator_offsets, counts.shape(0), "annotator_offsets");
    const std::size_t sentences = annotator_offsets.size() - 1;
    auto* chosen = new std::int64_t[sentences];
    auto chosen_array = make_array(chosen, {sentences});
    const auto* rows = reinterpret_cast<const mm::Counts*>(counts.data());
    nb::gil_scoped_release unlocked;
    mm::greedy_walk(rows, annotator_offsets.data(), beta_squared, nullptr, static_cast<std::int64_t>(sentences), chosen);
    return chosen_array;
}

nb::ndarray<nb::numpy, std::int64_t> greedy_totals(const CountRows& counts, const Offsets& annotator_offsets,
                                                   double beta_squared, const Samples& samples) {
    check_offsets(annotator_offsets, counts.shape(0), "annotator_offsets");
    const auto sentences = static_cast<std::int64_t>(annotator_offsets.size()) - 1;
    for (std::size_t index = 0; index < samples.size(); ++index)
        if (samples.data()[index] < 0 || samples.data()[index] >= sentences)
            throw std::invalid_argument("a sample names a sentence that does not exist");
    auto* totals = new std::int64_t[3 * samples.shape(0)];
    auto totals_array = make_array(totals, {samples.shape(0), 3});
    const auto* rows = reinterpret_cast<const mm::Counts*>(counts.data());
    const auto size = static_cast<std::int64_t>(samples.shape(1));
    nb::gil_scoped_release unlocked;
    for (std::size_t sample = 0; sample < samples.shape(0); ++sample) {
        const mm::Counts sum = mm::greedy_walk(rows, annotator_offsets.data(), beta_squared,
                                               samples.data() + sample * samples.shape(1), size, nullptr);
        totals[3 * sample] = sum.correct, totals[3 * sample + 1] = sum.proposed, totals[3 * sample + 2] = sum.gold;
    }
    return totals_array;
}

}  // namespace

namespace gecbench::bindings {

void bind_maxmatch(nb::module_ module) {
    module.attr("ARC_LIMIT") = mm::default_arc_limit;
    module.attr("FAST") = int{mm::fast};
    module.attr("LITERAL") = int{mm::literal};
    module.attr("TOO_LARGE") = int{mm::too_large};
    module.def("match_corpus", &match_corpus, "source_ids"_a, "source_offsets"_a, "hypothesis_ids"_a,
               "hypothesis_offsets"_a, "annotator_offsets"_a, "edit_offsets"_a, "edit_starts"_a, "edit_ends"_a,
               "alternative_offsets"_a, "correction_ids"_a, "correction_offsets"_a, "max_unchanged_words"_a = 2,
               "release"_a = "master", "folded_characters"_a = nb::none(), "folded_offsets"_a = nb::none(),
               "arc_limit"_a = mm::default_arc_limit);
    module.def("match_sentence", &match_sentence, "source_ids"_a, "hypothesis_ids"_a, "edit_starts"_a, "edit_ends"_a,
               "alternative_offsets"_a, "correction_ids"_a, "correction_offsets"_a, "max_unchanged_words"_a = 2,
               "release"_a = "master", "folded_characters"_a = nb::none(), "folded_offsets"_a = nb::none(),
               "arc_limit"_a = mm::default_arc_limit);
    module.def("greedy_choice", &greedy_choice, "counts"_a, "annotator_offsets"_a, "beta_squared"_a = 0.25);
    module.def("greedy_totals", &greedy_totals, "counts"_a, "annotator_offsets"_a, "beta_squared"_a, "samples"_a);
}

}  // namespace gecbench::bindings
