// A report as a tree of blocks: what it says, apart from how it looks. html.cc, markdown.cc and
// text.cc write it.
#ifndef REPORTS_DOCUMENT_DOCUMENT_H_
#define REPORTS_DOCUMENT_DOCUMENT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace diopi::reports {

// What a figure means to the reader. Colour is never the only sign: the text says it too.
enum class Tone { kPlain, kGood, kBad, kWarn, kMuted };

// A piece of text; any bytes, the writers escape.
struct Text {
  std::string text;
  Tone tone = Tone::kPlain;
  bool code = false;  // in a fixed-width font
  std::optional<double> share =
      std::nullopt;  // 0 to 1: drawn as a small bar beside the text, where there is drawing
};

struct Heading {
  int level = 2;  // 2 to 4; the document's title is 1. Contents list 2 and 3
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

// Name and value, a line each.
struct Facts {
  std::vector<std::pair<std::string, Text>> rows;
};

// The few figures to see first.
struct Tile {
  std::string label;
  std::string value;
  std::string note;
  Tone tone = Tone::kPlain;
};
struct Tiles {
  std::vector<Tile> tiles;
};

// Parts of a whole, as one bar and a legend that names every part.
struct Part {
  std::string label;
  int64_t count = 0;
  Tone tone = Tone::kPlain;
};
struct Bar {
  std::vector<Part> parts;
};

struct Column {
  std::string name;
  bool number = false;  // aligned to the right
};
struct Table {
  std::vector<Column> columns;
  std::vector<std::vector<Text>> rows;  // each as long as `columns`
  std::string empty = {};               // said in place of a table without rows
};

// One finding: a case and what to do about it.
struct Finding {
  std::string title;  // a case id
  Text outcome;
  std::vector<std::string> lines;  // what was seen, a paragraph each
  std::string command;             // repeats it; may be empty
};

using Block = std::variant<Heading, Paragraph, Note, Code, Facts, Tiles, Bar, Table, Finding>;

struct Document {
  std::string title;
  std::string subtitle;
  // With a cover: a page of its own in print, with `cover` on it, then the contents.
  bool has_cover = false;
  Facts cover;
  std::vector<Block> blocks;
  std::string footer;
};

// One file: no scripts, nothing fetched from elsewhere; light and dark, and made for printing on A4.
std::string WriteHtml(const Document& document);

// GitHub's flavour: tables, fenced code.
std::string WriteMarkdown(const Document& document);
std::string WriteMarkdown(const Table& table);

// For a terminal: columns aligned, nothing wrapped.
std::string WriteText(const Document& document);
std::string WriteText(const Table& table);

// RFC 4180, a header line first.
std::string WriteCsv(const Table& table);

// The id of the Nth heading (from 0) that the contents list, "s0": what they link to.
std::string HeadingId(int index);

}  // namespace diopi::reports

#endif  // REPORTS_DOCUMENT_DOCUMENT_H_
