// One pass over the lines. The edits of a sentence are collected first, since annotators may alternate in the file.
#include "m2.hpp"

#include <algorithm>
#include <unordered_map>

#include "tokens.hpp"

namespace gecbench {
namespace {

constexpr std::int64_t kMaxErrantSpan = 10000;

bool starts_with(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

// Removes and returns the text before the separator, or all text if there is none; removes the separator, too.
std::string_view take(std::string_view& text, std::string_view separator) {
  const std::size_t place = text.find(separator);
  const std::string_view taken = text.substr(0, place);
  text = place == std::string_view::npos ? std::string_view() : text.substr(place + separator.size());
  return taken;
}

// Parses an optional minus and one to nine digits.
bool read_number(std::string_view text, std::int64_t& number) {
  const bool negative = starts_with(text, "-");
  if (negative) text.remove_prefix(1);
  if (text.empty() || text.size() > 9) return false;
  number = 0;
  for (const char digit : text) {
    if (digit < '0' || digit > '9') return false;
    number = 10 * number + (digit - '0');
  }
  if (negative) number = -number;
  return true;
}

class Parser {
 public:
  Parser(bool errant, ParsedM2& parsed) : errant_(errant), parsed_(parsed) {}

  bool parse(std::string_view text) {
    bool inside = false;
    for (bool more = true; more; ++line_number_) {
      more = text.find('\n') != std::string_view::npos;
      const std::string_view line = take(text, "\n");
      if (line.empty()) {
        if (errant_ && !inside) return false;
        inside = false;
      } else if (!inside && starts_with(line, "S ")) {
        add_sentence(line.substr(2));
        inside = true;
      } else if (!inside || !add_edit(line)) {
        return false;
      }
    }
    close_sentence();
    return !parsed_.source_lines.empty();
  }

 private:
  struct Edit {
    std::int64_t line, start, end, annotator;
    std::int32_t type, corrections, required, comment;
    std::int32_t row;  // of the annotator in the sentence
  };

  void add_sentence(std::string_view source) {
    close_sentence();
    parsed_.source_lines.push_back(line_number_);
    std::int64_t tokens = 0;
    split_line(source, true, [&tokens](std::string_view) { ++tokens; });
    parsed_.source_lengths.push_back(tokens);
  }

  bool add_edit(std::string_view line) {
    if (!starts_with(line, "A ")) return false;
    line.remove_prefix(2);
    std::string_view end = take(line, "|||");
    const std::string_view start = take(end, " ");
    Edit edit{};
    edit.line = line_number_;
    if (!read_number(start, edit.start) || !read_number(end, edit.end)) return false;
    if (errant_ && edit.end - edit.start > kMaxErrantSpan) return false;
    std::string_view fields[4];
    for (std::string_view& field : fields) {
      if (line.find("|||") == std::string_view::npos) return false;
      field = take(line, "|||");
    }
    if (!read_number(line, edit.annotator)) return false;  // false for a seventh field, too
    edit.type = number(fields[0], 0);
    edit.corrections = number(fields[1], 1);
    // errant_compare ignores these two fields, so the reference parser does not keep them in that layout.
    edit.required = number(errant_ ? std::string_view() : fields[2], 2);
    edit.comment = number(errant_ ? std::string_view() : fields[3], 3);
    edits_.push_back(edit);
    return true;
  }

  // The position of a field among the distinct strings. Most fields equal the one in the line before.
  std::int32_t number(std::string_view field, int column) {
    std::int32_t& last = last_[column];
    if (!parsed_.strings.empty() && parsed_.strings[last] == field) return last;
    const auto [found, is_new] = positions_.try_emplace(field, static_cast<std::int32_t>(parsed_.strings.size()));
    if (is_new) parsed_.strings.push_back(field);
    last = found->second;
    return last;
  }

  // Appends the sentence's annotators in order of appearance, each with all edits.
  void close_sentence() {
    if (parsed_.source_lines.empty()) return;
    rows_.clear();
    for (Edit& edit : edits_) {
      const auto next = static_cast<std::int32_t>(rows_.size());
      edit.row = rows_.emplace(edit.annotator, next).first->second;
    }
    std::stable_sort(edits_.begin(), edits_.end(),
                     [](const Edit& left, const Edit& right) { return left.row < right.row; });
    for (std::size_t n = 0; n < edits_.size(); ++n) {
      if (n == 0 || edits_[n].row != edits_[n - 1].row) {
        parsed_.annotators.push_back(edits_[n].annotator);
        if (n > 0) close_row();
      }
      append(edits_[n]);
    }
    if (!edits_.empty()) close_row();
    parsed_.row_offsets.push_back(static_cast<std::int64_t>(parsed_.annotators.size()));
    edits_.clear();
  }

  void close_row() { parsed_.edit_offsets.push_back(static_cast<std::int64_t>(parsed_.starts.size())); }

  void append(const Edit& edit) {
    parsed_.edit_lines.push_back(edit.line);
    parsed_.starts.push_back(edit.start);
    parsed_.ends.push_back(edit.end);
    parsed_.types.push_back(edit.type);
    parsed_.corrections.push_back(edit.corrections);
    parsed_.required.push_back(edit.required);
    parsed_.comments.push_back(edit.comment);
  }

  const bool errant_;
  ParsedM2& parsed_;
  std::int64_t line_number_ = 0;
  std::vector<Edit> edits_;
  std::unordered_map<std::int64_t, std::int32_t> rows_;
  std::unordered_map<std::string_view, std::int32_t> positions_;
  std::int32_t last_[4] = {0, 0, 0, 0};
};

}  // namespace

bool parse_m2(std::string_view text, bool errant, ParsedM2& parsed) {
  return Parser(errant, parsed).parse(text);
}

}  // namespace gecbench
