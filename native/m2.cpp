// One pass over the lines. The edits of a sentence are collected first, since annotators may alternate in the file.
#include "m2.hpp"

#include <algorithm>
#include <unordered_map>

#include "tokens.hpp"

namespace gecbench {
namespace {

bool starts_with(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

// Parses an optional minus and one to nine digits.
bool read_number(std::string_view text, std::int32_t& number) {
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

// A text without outer blanks, and whether all blanks inside are single spaces.
struct Stripped {
  std::string_view text;
  bool single_spaces = true;
};

Stripped strip(std::string_view text) {
  const char* begin = nullptr;
  const char* end = nullptr;
  Stripped stripped;
  split_line(text, true, [&](std::string_view token) {
    if (begin == nullptr) {
      begin = token.data();
    } else if (token.data() != end + 1 || *end != ' ') {
      stripped.single_spaces = false;
    }
    end = token.data() + token.size();
  });
  if (begin != nullptr) stripped.text = {begin, static_cast<std::size_t>(end - begin)};
  return stripped;
}

class Reader {
 public:
  explicit Reader(EditTable& table) : table_(table) {}

  bool read(std::string_view text) {
    bool inside = false;
    std::int64_t number = 0;
    for (bool more = true; more; ++number) {
      const std::size_t place = text.find('\n');
      more = place != std::string_view::npos;
      const std::string_view line = text.substr(0, place);
      if (more) text.remove_prefix(place + 1);
      if (line.empty()) {
        inside = false;
      } else if (!inside && starts_with(line, "S ")) {
        start_sentence(line.substr(2), number);
        inside = true;
      } else if (!inside || !add_edit(line)) {
        return false;
      }
    }
    close_sentence();
    return !table_.source_lines.empty();
  }

 private:
  struct Edit : EditLine {
    bool none = false;     // a noop line, which only names its annotator
    std::int32_t row = 0;  // of the annotator in the sentence
  };

  void start_sentence(std::string_view source, std::int64_t number) {
    close_sentence();
    table_.source_lines.push_back(number);
    length_ = 0;
    split_line(source, true, [this](std::string_view) { ++length_; });
  }

  bool add_edit(std::string_view line) {
    Edit edit;
    if (!read_edit_line(line, edit) || edit.fields != 6) return false;
    edit.none = edit.type == "noop";
    edits_.push_back(edit);
    return edit.none || (0 <= edit.start && edit.start <= edit.end && edit.end <= length_);
  }

  // Appends the sentence's annotators in order of appearance, each with all edits.
  void close_sentence() {
    if (table_.source_lines.empty()) return;
    std::unordered_map<std::int32_t, std::int32_t> rows;
    for (Edit& edit : edits_) {
      const auto next = static_cast<std::int32_t>(rows.size());
      edit.row = rows.emplace(edit.annotator, next).first->second;
    }
    std::stable_sort(edits_.begin(), edits_.end(),
                     [](const Edit& left, const Edit& right) { return left.row < right.row; });
    table_.spelled += '\0';
    for (std::size_t n = 0; n < edits_.size(); ++n) {
      if (n == 0 || edits_[n].row != edits_[n - 1].row) {
        table_.annotators.push_back(edits_[n].annotator);
        table_.spelled += '\2' + std::to_string(edits_[n].annotator);
        if (n > 0) close_row();
      }
      if (!edits_[n].none) lay_out(edits_[n]);
    }
    if (!edits_.empty()) close_row();
    table_.row_offsets.push_back(static_cast<std::int64_t>(table_.annotators.size()));
    edits_.clear();
  }

  void close_row() { table_.edit_offsets.push_back(static_cast<std::int64_t>(table_.starts.size())); }

  void lay_out(const Edit& edit) {
    table_.starts.push_back(edit.start);
    table_.ends.push_back(edit.end);
    table_.spelled += '\3' + std::to_string(edit.start) + ' ' + std::to_string(edit.end) + ' ';
    table_.spelled += edit.type;
    std::string_view rest = edit.corrections;
    for (bool more = true; more;) {
      more = rest.find("||") != std::string_view::npos;
      const std::string_view text = take(rest, "||");
      const Stripped correction = text == "-NONE-" ? Stripped{} : strip(text);
      table_.spelled += '\1';
      table_.spelled += correction.text;
      if (!correction.single_spaces) continue;
      table_.corrections += correction.text;
      table_.correction_lengths.push_back(static_cast<std::int64_t>(correction.text.size()));
    }
    table_.alternative_offsets.push_back(static_cast<std::int64_t>(table_.correction_lengths.size()));
  }

  EditTable& table_;
  std::int64_t length_ = 0;
  std::vector<Edit> edits_;
};

}  // namespace

std::string_view take(std::string_view& text, std::string_view separator) {
  const std::size_t place = text.find(separator);
  const std::string_view taken = text.substr(0, place);
  text = place == std::string_view::npos ? std::string_view() : text.substr(place + separator.size());
  return taken;
}

bool read_edit_line(std::string_view line, EditLine& edit) {
  if (!starts_with(line, "A ")) return false;
  line.remove_prefix(2);
  std::string_view ends = take(line, "|||");
  const std::string_view start = take(ends, " ");
  if (!read_number(start, edit.start) || !read_number(ends, edit.end)) return false;
  edit.type = take(line, "|||");
  edit.corrections = take(line, "|||");
  for (edit.fields = 4; line.find("|||") != std::string_view::npos; ++edit.fields) take(line, "|||");
  return read_number(line, edit.annotator);
}

bool read_edits(std::string_view text, EditTable& table) {
  return Reader(table).read(text);
}

}  // namespace gecbench
