// A page is self-contained: its style is in it, charts are SVG, and there is no script. Every text, which may
// be a library's own, passes an escape for where it goes (element, style sheet), so nothing that a run
// recorded becomes markup. The contents and the headings count alike, which gives both the same ids.
#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "cases/base/text.h"
#include "reports/document/chart.h"
#include "reports/document/document.h"
#include "reports/document/escape.h"
#include "reports/document/style.h"

namespace diopi::reports {

const char* ToneClass(Tone tone) {
  switch (tone) {
    case Tone::kGood:
      return "good";
    case Tone::kBad:
      return "bad";
    case Tone::kWarn:
      return "warn";
    case Tone::kMuted:
      return "muted";
    case Tone::kPlain:
      break;
  }
  return "plain";
}

namespace {

std::string Meter(double share, Tone tone) {
  const double width = 100 * std::clamp(share, 0.0, 1.0);
  return absl::StrFormat(
      "<span class=\"meter\"><span class=\"fill-%s\" style=\"width:%.1f%%\"></span></span>", ToneClass(tone),
      width);
}

// Case ids and paths are long and have no spaces, so a line may break after their dots and slashes.
std::string Breakable(const std::string& escaped) {
  constexpr size_t kShort = 24;
  return escaped.size() <= kShort ? escaped
                                  : absl::StrReplaceAll(escaped, {{".", ".<wbr>"}, {"/", "/<wbr>"}});
}

std::string InlineHtml(const Text& text) {
  std::string out = EscapeXmlText(text.text);
  if (text.code) out = absl::StrCat("<code>", Breakable(out), "</code>");
  if (text.tone != Tone::kPlain)
    out = absl::StrCat("<span class=\"", ToneClass(text.tone), "\">", out, "</span>");
  if (text.share.has_value()) out += Meter(*text.share, text.tone);
  return out;
}

bool IsListed(const Heading& heading) {
  return heading.level <= 3;
}

std::string FillClass(Tone tone) {
  return absl::StrCat("fill-", ToneClass(tone));
}

// Everything but letters, digits and spaces as an escape: the string may not end the style sheet either.
std::string CssString(const std::string& text) {
  std::string out = "\"";
  for (const char c : OneLine(text)) {
    if (absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == ' ' || (c & 0x80) != 0) {
      out.push_back(c);
    } else {
      absl::StrAppendFormat(&out, "\\%x ", static_cast<unsigned char>(c));
    }
  }
  return absl::StrCat(out, "\"");
}

std::string RunningHead(const std::string& text) {
  if (text.empty()) return "";
  return absl::StrCat(
      "@page { @top-left { content: ", CssString(text),
      "; font: 8pt \"Helvetica Neue\", Arial, \"DejaVu Sans\", \"Noto Sans CJK SC\", sans-serif; "
      "color: #5b6675; } }\n@page :first { @top-left { content: \"\"; } }\n");
}

// Writes one block after the other; counts the headings for their ids.
class HtmlWriter {
 public:
  void operator()(const Heading& heading) {
    const std::string tag = absl::StrCat("h", heading.level);
    const std::string id = IsListed(heading) ? absl::StrCat(" id=\"", HeadingId(headings_++), "\"") : "";
    absl::StrAppend(&out_, "<", tag, id, heading.new_page ? " class=\"page\"" : "", ">",
                    EscapeXmlText(heading.text), "</", tag, ">\n");
  }
  void operator()(const Paragraph& paragraph) {
    absl::StrAppend(&out_, "<p>", EscapeXmlText(paragraph.text), "</p>\n");
  }
  void operator()(const Note& note) {
    absl::StrAppend(&out_, "<p class=\"note ", ToneClass(note.tone), "\">", EscapeXmlText(note.text),
                    "</p>\n");
  }
  void operator()(const Code& code) { absl::StrAppend(&out_, "<pre>", EscapeXmlText(code.text), "</pre>\n"); }
  void operator()(const Facts& facts) {
    out_ += "<dl class=\"facts\">\n";
    for (const auto& [name, value] : facts.rows) {
      absl::StrAppend(&out_, "<dt>", EscapeXmlText(name), "</dt><dd>", InlineHtml(value), "</dd>\n");
    }
    out_ += "</dl>\n";
  }
  void operator()(const Tiles& tiles) {
    out_ += "<div class=\"tiles\">\n";
    for (const Tile& tile : tiles.tiles) {
      absl::StrAppend(&out_, "<div class=\"tile\"><div class=\"label\">", EscapeXmlText(tile.label),
                      "</div><div class=\"value ", ToneClass(tile.tone), "\">", EscapeXmlText(tile.value),
                      "</div><div class=\"remark\">", EscapeXmlText(tile.note), "</div></div>\n");
    }
    out_ += "</div>\n";
  }
  void operator()(const Bar& bar) {
    std::string legend;
    out_ += "<div class=\"bar\" aria-hidden=\"true\">";
    for (const Part& part : bar.parts) {
      AddPart(part);
      absl::StrAppend(&legend, LegendItem(part.tone, absl::StrCat(part.label, " ", part.count)));
    }
    absl::StrAppend(&out_, "</div>\n<ul class=\"legend\">", legend, "</ul>\n");
  }
  void operator()(const Bars& bars) {
    if (bars.rows.empty()) return;
    absl::StrAppend(&out_, "<figure><figcaption>", EscapeXmlText(bars.caption),
                    "</figcaption>\n<div class=\"bars\">\n");
    const int64_t longest = Longest(bars);
    for (const BarRow& row : bars.rows) {
      const int64_t length = Length(row);
      absl::StrAppend(&out_, "<span>", EscapeXmlText(row.label), "</span><span class=\"bar\">");
      for (const Part& part : row.parts) AddPart(part);
      if (longest > length)
        absl::StrAppend(&out_, "<span class=\"rest\" style=\"flex:", longest - length, "\"></span>");
      absl::StrAppend(&out_, "</span><span>", EscapeXmlText(row.text), "</span>\n");
    }
    out_ += "</div>\n<ul class=\"legend\">";
    for (const Part& part : bars.rows.front().parts) {
      if (!part.label.empty()) absl::StrAppend(&out_, LegendItem(part.tone, part.label));
    }
    out_ += "</ul></figure>\n";
  }
  void operator()(const Histograms& histograms) {
    if (histograms.rows.empty()) return;
    absl::StrAppend(&out_, "<figure><figcaption>", EscapeXmlText(histograms.caption), "</figcaption>\n",
                    HistogramsSvg(histograms), "\n<ul class=\"legend\">");
    for (const Part& series : histograms.series)
      absl::StrAppend(&out_, LegendItem(series.tone, series.label));
    out_ += "</ul></figure>\n";
  }
  void operator()(const Signatures& signatures) {
    out_ += "<div class=\"signatures\">\n";
    for (const auto& [role, name] : signatures.lines) {
      absl::StrAppend(&out_, "<div><div class=\"line\"></div>", EscapeXmlText(role), name.empty() ? "" : ": ",
                      EscapeXmlText(name), "</div>\n");
    }
    out_ += "</div>\n";
  }
  void operator()(const Table& table) {
    if (table.rows.empty()) {
      absl::StrAppend(&out_, "<p class=\"muted\">", EscapeXmlText(table.empty), "</p>\n");
      return;
    }
    out_ += "<div class=\"scroll\"><table>\n<thead><tr>";
    for (const Column& column : table.columns) {
      absl::StrAppend(&out_, "<th", column.number ? " class=\"number\"" : "", ">", EscapeXmlText(column.name),
                      "</th>");
    }
    out_ += "</tr></thead>\n<tbody>\n";
    for (const std::vector<Text>& row : table.rows) {
      out_ += "<tr>";
      for (size_t i = 0; i < row.size(); ++i) {
        absl::StrAppend(&out_, "<td", table.columns[i].number ? " class=\"number\"" : "", ">",
                        InlineHtml(row[i]), "</td>");
      }
      out_ += "</tr>\n";
    }
    out_ += "</tbody></table></div>\n";
  }
  void operator()(const Chart& chart) {
    absl::StrAppend(&out_, "<figure>", ChartSvg(chart), "<figcaption>", EscapeXmlText(chart.caption),
                    "</figcaption></figure>\n");
  }
  void operator()(const Finding& finding) {
    Text outcome = finding.outcome;
    absl::StrAppend(&out_, "<section class=\"finding\"><h4><code>", EscapeXmlText(finding.title),
                    "</code><span class=\"badge\">", InlineHtml(outcome), "</span></h4>\n");
    for (const std::string& line : finding.lines) {
      absl::StrAppend(&out_, "<p>", EscapeXmlText(line), "</p>\n");
    }
    if (!finding.command.empty()) absl::StrAppend(&out_, "<pre>", EscapeXmlText(finding.command), "</pre>\n");
    out_ += "</section>\n";
  }

  std::string Take() { return std::exchange(out_, ""); }

 private:
  void AddPart(const Part& part) {
    if (part.count > 0)
      absl::StrAppend(&out_, "<span class=\"", FillClass(part.tone), "\" style=\"flex:", part.count,
                      "\"></span>");
  }
  static std::string LegendItem(Tone tone, const std::string& text) {
    return absl::StrCat("<li><i class=\"", FillClass(tone), "\"></i>", EscapeXmlText(text), "</li>");
  }
  static int64_t Length(const BarRow& row) {
    return std::accumulate(row.parts.begin(), row.parts.end(), int64_t{0},
                           [](int64_t sum, const Part& part) { return sum + part.count; });
  }
  static int64_t Longest(const Bars& bars) {
    int64_t longest = 1;
    for (const BarRow& row : bars.rows) longest = std::max(longest, Length(row));
    return longest;
  }

  std::string out_;
  int headings_ = 0;
};

std::string Contents(const Document& document) {
  const std::string title = Translator(document.language)("Contents");
  std::string out =
      absl::StrCat("<nav class=\"contents\" aria-label=\"", title, "\"><h2>", title, "</h2>\n<ol>\n");
  int index = 0;
  for (const Block& block : document.blocks) {
    const auto* heading = std::get_if<Heading>(&block);
    if (heading == nullptr || !IsListed(*heading)) continue;
    absl::StrAppend(&out, "<li", heading->level > 2 ? " class=\"sub\"" : "", "><a href=\"#",
                    HeadingId(index++), "\">", EscapeXmlText(heading->text), "</a></li>\n");
  }
  return absl::StrCat(out, "</ol></nav>\n");
}

std::string HeaderHtml(const Document& document) {
  std::string out = absl::StrCat("<header", document.has_cover ? " class=\"cover\"" : "", ">\n<h1>",
                                 EscapeXmlText(document.title), "</h1>\n<p class=\"subtitle\">",
                                 EscapeXmlText(document.subtitle), "</p>\n");
  if (document.has_cover) {
    HtmlWriter cover;
    for (const Block& block : document.cover) std::visit(cover, block);
    absl::StrAppend(&out, "<div class=\"rule\"></div>\n", cover.Take());
  }
  out += "</header>\n";
  if (document.has_cover) out += Contents(document);
  return out;
}

}  // namespace

std::string HeadingId(int index) {
  return absl::StrCat("s", index);
}

std::string WriteHtml(const Document& document) {
  HtmlWriter writer;
  for (const Block& block : document.blocks) std::visit(writer, block);
  return absl::StrCat("<!doctype html>\n<html lang=\"", HtmlLanguage(document.language),
                      "\">\n<head>\n<meta charset=\"utf-8\">\n"
                      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
                      EscapeXmlText(document.title), "</title>\n<style>\n", StyleSheet(),
                      RunningHead(document.running_head), "</style>\n</head>\n<body>\n<main>\n",
                      HeaderHtml(document), writer.Take(), "<footer>", EscapeXmlText(document.footer),
                      "</footer>\n</main>\n</body>\n</html>\n");
}

}  // namespace diopi::reports
