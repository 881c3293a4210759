// Columns are as wide as their longest cell, counted in characters rather than bytes. Charts become tables
// with the same figures, so that a terminal and a log miss none.
#include "cases/base/text.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "reports/document/document.h"
#include "reports/document/escape.h"

namespace diopi::reports {
namespace {

// Counts characters, not bytes: continuation bytes take no space.
size_t Width(const std::string& text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(),
                                           [](char c) { return (static_cast<uint8_t>(c) & 0xC0) != 0x80; }));
}

std::string Padded(const std::string& text, size_t width, bool right) {
  const std::string room(width > Width(text) ? width - Width(text) : 0, ' ');
  return right ? absl::StrCat(room, text) : absl::StrCat(text, room);
}

void TrimRight(std::string* text) {
  while (!text->empty() && text->back() == ' ') text->pop_back();
}

using Cells = std::vector<std::string>;

std::string Line(const Cells& cells, const std::vector<size_t>& widths, const std::vector<Column>& columns) {
  std::string line;
  for (size_t i = 0; i < cells.size(); ++i)
    absl::StrAppend(&line, i > 0 ? "  " : "", Padded(cells[i], widths[i], columns[i].number));
  TrimRight(&line);
  return absl::StrCat(line, "\n");
}

class TextWriter {
 public:
  void operator()(const Heading& heading) { absl::StrAppend(&out_, "\n", OneLine(heading.text), "\n\n"); }
  void operator()(const Paragraph& paragraph) { absl::StrAppend(&out_, OneLine(paragraph.text), "\n"); }
  void operator()(const Note& note) { absl::StrAppend(&out_, OneLine(note.text), "\n"); }
  void operator()(const Code& code) { absl::StrAppend(&out_, ManyLines(code.text), "\n"); }
  void operator()(const Facts& facts) {
    size_t width = 0;
    for (const auto& [name, value] : facts.rows) width = std::max(width, Width(name));
    for (const auto& [name, value] : facts.rows)
      absl::StrAppend(&out_, Padded(name, width, false), "  ", OneLine(value.text), "\n");
  }
  void operator()(const Tiles& tiles) {
    for (const Tile& tile : tiles.tiles)
      absl::StrAppend(&out_, OneLine(absl::StrCat(tile.label, ": ", tile.value, " ", tile.note)), "\n");
  }
  void operator()(const Bar& bar) {
    const auto part = [](std::string* text, const Part& p) { absl::StrAppend(text, p.label, " ", p.count); };
    absl::StrAppend(&out_, OneLine(absl::StrJoin(bar.parts, ", ", part)), "\n");
  }
  void operator()(const Bars& bars) {
    absl::StrAppend(&out_, OneLine(bars.caption), "\n", WriteText(TableOf(bars)));
  }
  void operator()(const Histograms& histograms) {
    if (histograms.rows.empty()) return;
    absl::StrAppend(&out_, OneLine(histograms.caption), "\n", WriteText(TableOf(histograms)));
  }
  void operator()(const Signatures& signatures) {
    for (const auto& [role, name] : signatures.lines)
      absl::StrAppend(&out_, OneLine(role), ": ", OneLine(name), "\n");
  }
  void operator()(const Table& table) { out_ += WriteText(table); }
  void operator()(const Chart& chart) { absl::StrAppend(&out_, OneLine(chart.caption), "\n"); }
  void operator()(const Finding& finding) {
    absl::StrAppend(&out_, "\n", OneLine(absl::StrCat(finding.title, ": ", finding.outcome.text)), "\n");
    for (const std::string& line : finding.lines) absl::StrAppend(&out_, "  ", OneLine(line), "\n");
    if (!finding.command.empty()) absl::StrAppend(&out_, "  ", ManyLines(finding.command), "\n");
  }

  std::string Take() { return std::move(out_); }

 private:
  std::string out_;
};

}  // namespace

Table TableOf(const Bars& bars) {
  Table table;
  if (bars.rows.empty()) return table;
  table.columns = {{""}};
  for (const Part& part : bars.rows.front().parts) table.columns.push_back({part.label, true});
  table.columns.push_back({"", true});
  for (const BarRow& row : bars.rows) {
    std::vector<Text>& cells = table.rows.emplace_back();
    cells.push_back({row.label});
    for (const Part& part : row.parts) cells.push_back({absl::StrCat(part.count)});
    cells.push_back({row.text});
  }
  return table;
}

Table TableOf(const Histograms& histograms) {
  Table table{{{""}, {""}}, {}};
  for (const std::string& bin : histograms.bins) table.columns.push_back({bin, true});
  for (const HistogramRow& row : histograms.rows) {
    for (size_t i = 0; i < row.counts.size(); ++i) {
      const std::vector<int64_t>& counts = row.counts[i];
      if (std::all_of(counts.begin(), counts.end(), [](int64_t count) { return count == 0; })) continue;
      std::vector<Text>& cells = table.rows.emplace_back();
      cells = {{row.label}, {histograms.series[i].label}};
      for (const int64_t count : counts) cells.push_back({absl::StrCat(count)});
    }
  }
  return table;
}

std::string WriteText(const Table& table) {
  if (table.rows.empty()) return table.empty.empty() ? "" : absl::StrCat(OneLine(table.empty), "\n");
  std::vector<Cells> lines(1);
  for (const Column& column : table.columns) lines[0].push_back(OneLine(column.name));
  for (const std::vector<Text>& row : table.rows) {
    Cells& cells = lines.emplace_back();
    for (const Text& cell : row) cells.push_back(OneLine(cell.text));
  }
  std::vector<size_t> widths(table.columns.size());
  for (const Cells& cells : lines) {
    for (size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], Width(cells[i]));
  }
  std::string out;
  for (const Cells& cells : lines) out += Line(cells, widths, table.columns);
  return out;
}

std::string WriteCsv(const Table& table) {
  const auto field = [](std::string* out, const auto& cell) {
    if constexpr (std::is_same_v<std::decay_t<decltype(cell)>, Column>) {
      absl::StrAppend(out, CsvField(cell.name));
    } else {
      absl::StrAppend(out, CsvField(cell.text));
    }
  };
  std::string out = absl::StrCat(absl::StrJoin(table.columns, ",", field), "\r\n");
  for (const std::vector<Text>& row : table.rows)
    absl::StrAppend(&out, absl::StrJoin(row, ",", field), "\r\n");
  return out;
}

std::string WriteText(const Document& document) {
  TextWriter writer;
  for (const Block& block : document.blocks) std::visit(writer, block);
  std::string out = absl::StrCat(OneLine(document.title), "\n");
  if (!document.subtitle.empty()) absl::StrAppend(&out, OneLine(document.subtitle), "\n");
  return absl::StrCat(out, "\n", writer.Take());
}

}  // namespace diopi::reports
