// A report as a tree of blocks, separate from its looks. html.cc, markdown.cc and text.cc write it.
#ifndef REPORTS_DOCUMENT_DOCUMENT_H_
#define REPORTS_DOCUMENT_DOCUMENT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "reports/document/language.h"

namespace diopi::reports {

// What a figure means to the reader. Colour is never the only sign: the text says it, too.
enum class Tone { kPlain, kGood, kBad, kWarn, kMuted };

// A piece of text. It may hold any bytes; the writers escape them.
struct Text {
  std::string text;
  Tone tone = Tone::kPlain;
  bool code = false;  // in a fixed-width font
  std::optional<double> share =
      std::nullopt;  // 0 to 1: a small bar beside the text, in formats with graphics
};

struct Heading {
  int level = 2;  // 2 to 4; the document's title is 1. The contents list 2 and 3
  std::string text;
  bool new_page = false;  // in print
};

struct Paragraph {
  std::string text;
};

// A paragraph that stands out.
struct Note {
  std::string text;
  Tone tone = Tone::kPlain;
};

struct Code {
  std::string text;
};

// Names and values, one pair per line.
struct Facts {
  std::vector<std::pair<std::string, Text>> rows;
};

// One of the few figures to see first.
struct Tile {
  std::string label;
  std::string value;
  std::string note;
  Tone tone = Tone::kPlain;
};
struct Tiles {
  std::vector<Tile> tiles;
};

// Part of a whole. The parts are shown as one bar, with a legend that names every part.
struct Part {
  std::string label;
  int64_t count = 0;
  Tone tone = Tone::kPlain;
};
struct Bar {
  std::vector<Part> parts;
};

// Bars on one scale, a row each; the parts of a row lie end to end.
struct BarRow {
  std::string label;
  std::vector<Part> parts;  // the same labels in every row: the legend names them once
  std::string text;         // beside the bar
};
struct Bars {
  std::string caption;
  std::vector<BarRow> rows;
};

// Histograms over the same bins, one below another, each on a scale of its own.
struct HistogramRow {
  std::string label;
  std::vector<std::vector<int64_t>> counts;  // by series, then bin
};
struct Histograms {
  std::string caption;
  std::string bins_label;         // what the bins measure, with its unit
  std::vector<std::string> bins;  // from the lowest
  std::vector<Part> series;       // names and tones, stacked in each bin; their counts are not used
  std::vector<HistogramRow> rows;
};

// Lines to sign on: who signs, and the name where it is known.
struct Signatures {
  std::vector<std::pair<std::string, std::string>> lines;
};

struct Column {
  std::string name;
  bool number = false;  // aligned to the right
};
struct Table {
  std::vector<Column> columns;
  std::vector<std::vector<Text>> rows;  // each as long as `columns`
  std::string empty = {};               // text in place of a table without rows
};

// Points and lines over two logarithmic axes. Values that are not above 0 are left out.
struct ChartPoint {
  double x = 0;
  double y = 0;
  std::string label;  // shown when the pointer is over it
  size_t series = 0;  // an index into Chart.series
};
struct ChartLine {
  std::vector<std::pair<double, double>> points;
  std::string label;
};
struct Chart {
  std::string caption;  // all that formats without graphics show
  std::string x;        // what the axes measure, with units
  std::string y;
  std::vector<std::string> series;  // names, each with its own mark
  std::vector<ChartPoint> points;
  std::vector<ChartLine> lines;
};

// One finding: a case and what to do about it.
struct Finding {
  std::string title;  // a case id
  Text outcome;
  std::vector<std::string> lines;  // observations, one paragraph each
  std::string command;             // repeats the case; may be empty
};

using Block = std::variant<Heading, Paragraph, Note, Code, Facts, Tiles, Bar, Bars, Histograms, Signatures,
                           Table, Chart, Finding>;

struct Document {
  Language language = Language::kEnglish;  // of all texts
  std::string title;
  std::string subtitle;
  // Whether print has a page of its own that shows `cover`, followed by the contents.
  bool has_cover = false;
  std::vector<Block> cover;  // no headings
  std::vector<Block> blocks;
  std::string footer;
  std::string running_head;  // in print, at the top of every page but the first
};

// The same figures, for formats without graphics.
Table TableOf(const Bars& bars);
Table TableOf(const Histograms& histograms);

// One file without scripts or external resources; light and dark, and printable on A4.
std::string WriteHtml(const Document& document);

// Markdown in GitHub's flavour: tables, fenced code.
std::string WriteMarkdown(const Document& document);
std::string WriteMarkdown(const Table& table);

// Text for a terminal: columns aligned, nothing wrapped.
std::string WriteText(const Document& document);
std::string WriteText(const Table& table);

// RFC 4180, with a header line.
std::string WriteCsv(const Table& table);

// The id, such as "s0", of the Nth heading (from 0) in the contents, which link to it.
std::string HeadingId(int index);

}  // namespace diopi::reports

#endif  // REPORTS_DOCUMENT_DOCUMENT_H_
