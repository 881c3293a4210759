// Everything that could be markup is escaped, raw HTML and mentions of users included, because texts may come
// from a library and reports are posted to issues. A fence is longer than any run of backticks inside it.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "cases/base/text.h"
#include "reports/document/document.h"

namespace diopi::reports {
namespace {

// Escapes everything that would be markup in running text, including angle brackets: raw HTML is markup.
std::string Escape(std::string_view text) {
  std::string out;
  for (const char c : OneLine(text)) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '&') {
      out += "&amp;";
    } else if (c == '@') {
      out += "&#64;";  // GitHub would notify a user of that name
    } else {
      if (std::string_view("\\`*_[]|#~").find(c) != std::string_view::npos) out.push_back('\\');
      out.push_back(c);
    }
  }
  return out;
}

// A code span: its fence is longer than any run of backticks inside; in a table, a bar must be escaped even
// in code.
std::string CodeSpan(std::string_view text) {
  const std::string line = OneLine(text);
  size_t longest = 0;
  size_t run = 0;
  for (const char c : line) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  const char* pad = longest > 0 ? " " : "";
  return absl::StrCat(fence, pad, absl::StrReplaceAll(line, {{"|", "\\|"}}), pad, fence);
}

std::string InlineMarkdown(const Text& text) {
  if (text.text.empty()) return "";
  const std::string out = text.code ? CodeSpan(text.text) : Escape(text.text);
  return text.tone == Tone::kBad ? absl::StrCat("**", out, "**") : out;
}

std::string Fenced(std::string_view text) {
  std::string fence = "```";
  while (text.find(fence) != std::string_view::npos) fence += '`';
  return absl::StrCat(fence, "\n", ManyLines(text), text.empty() || text.back() != '\n' ? "\n" : "", fence,
                      "\n\n");
}

std::string Row(const std::vector<std::string>& cells) {
  return absl::StrCat("| ", absl::StrJoin(cells, " | "), " |\n");
}

class MarkdownWriter {
 public:
  void operator()(const Heading& heading) {
    absl::StrAppend(&out_, std::string(static_cast<size_t>(heading.level), '#'), " ", Escape(heading.text),
                    "\n\n");
  }
  void operator()(const Paragraph& paragraph) { absl::StrAppend(&out_, Escape(paragraph.text), "\n\n"); }
  void operator()(const Note& note) { absl::StrAppend(&out_, "> ", Escape(note.text), "\n\n"); }
  void operator()(const Code& code) { out_ += Fenced(code.text); }
  void operator()(const Facts& facts) {
    out_ += "| | |\n| --- | --- |\n";
    for (const auto& [name, value] : facts.rows) out_ += Row({Escape(name), InlineMarkdown(value)});
    out_ += "\n";
  }
  void operator()(const Tiles& tiles) {
    for (const Tile& tile : tiles.tiles) {
      absl::StrAppend(&out_, "- **", Escape(tile.label), ": ", Escape(tile.value), "** ", Escape(tile.note),
                      "\n");
    }
    out_ += "\n";
  }
  void operator()(const Bar& bar) {
    const auto part = [](std::string* text, const Part& p) {
      absl::StrAppend(text, Escape(p.label), " ", p.count);
    };
    absl::StrAppend(&out_, absl::StrJoin(bar.parts, ", ", part), "\n\n");
  }
  void operator()(const Bars& bars) {
    if (bars.rows.empty()) return;
    absl::StrAppend(&out_, Escape(bars.caption), "\n\n");
    (*this)(TableOf(bars));
  }
  void operator()(const Histograms& histograms) {
    if (histograms.rows.empty()) return;
    absl::StrAppend(&out_, Escape(histograms.caption), "\n\n");
    (*this)(TableOf(histograms));
  }
  void operator()(const Signatures& signatures) {
    Facts facts;
    for (const auto& [role, name] : signatures.lines) facts.rows.push_back({role, {name}});
    (*this)(facts);
  }
  void operator()(const Table& table) {
    if (table.rows.empty()) {
      absl::StrAppend(&out_, Escape(table.empty), "\n\n");
      return;
    }
    std::vector<std::string> names;
    std::vector<std::string> rules;
    for (const Column& column : table.columns) {
      names.push_back(Escape(column.name));
      rules.emplace_back(column.number ? "---:" : "---");
    }
    absl::StrAppend(&out_, Row(names), Row(rules));
    for (const std::vector<Text>& row : table.rows) {
      std::vector<std::string> cells;
      cells.reserve(row.size());
      for (const Text& cell : row) cells.push_back(InlineMarkdown(cell));
      out_ += Row(cells);
    }
    out_ += "\n";
  }
  void operator()(const Chart& chart) { absl::StrAppend(&out_, Escape(chart.caption), "\n\n"); }
  void operator()(const Finding& finding) {
    absl::StrAppend(&out_, "**", CodeSpan(finding.title), "**: ", InlineMarkdown(finding.outcome), "\n\n");
    for (const std::string& line : finding.lines) absl::StrAppend(&out_, Escape(line), "\n\n");
    if (!finding.command.empty()) out_ += Fenced(finding.command);
  }

  std::string Take() { return std::move(out_); }

 private:
  std::string out_;
};

}  // namespace

std::string WriteMarkdown(const Table& table) {
  MarkdownWriter writer;
  writer(table);
  return writer.Take();
}

std::string WriteMarkdown(const Document& document) {
  MarkdownWriter writer;
  for (const Block& block : document.blocks) std::visit(writer, block);
  std::string out = absl::StrCat("# ", Escape(document.title), "\n\n", Escape(document.subtitle), "\n\n");
  MarkdownWriter cover;
  for (const Block& block : document.cover) std::visit(cover, block);
  return absl::StrCat(out, cover.Take(), writer.Take(), "---\n\n", Escape(document.footer), "\n");
}

}  // namespace diopi::reports
