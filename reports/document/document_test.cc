#include "reports/document/document.h"

#include <gtest/gtest.h>

#include <string>

namespace diopi::reports {
namespace {

constexpr char kNasty[] = "<b>|`*_&\"\xff\nnext";

Document Sample() {
  Document document;
  document.title = kNasty;
  document.subtitle = "sub";
  document.has_cover = true;
  document.cover.emplace_back(Facts{{{"chip", {kNasty}}}});
  document.running_head = kNasty;
  document.footer = "end";
  document.blocks.emplace_back(Heading{2, "First", true});
  document.blocks.emplace_back(Paragraph{kNasty});
  document.blocks.emplace_back(Heading{3, "Second"});
  document.blocks.emplace_back(Note{"careful", Tone::kWarn});
  document.blocks.emplace_back(Code{"a\nb ``` c"});
  document.blocks.emplace_back(Tiles{{{"label", "12", "note", Tone::kGood}}});
  document.blocks.emplace_back(Bar{{{"pass", 3, Tone::kGood}, {"fail", 0, Tone::kBad}}});
  document.blocks.emplace_back(Bars{
      "all", {{"one", {{"good", 3, Tone::kGood}, {"", 1}}, "75 %"}, {"two", {{"good", 2}, {"", 0}}, "2"}}});
  document.blocks.emplace_back(Signatures{{{"Tested by", "Ann"}, {"Approved by", ""}}});
  document.blocks.emplace_back(
      Table{{{"name"}, {"n", true}}, {{{"a|b", Tone::kPlain, true}, {"50 %", Tone::kBad, false, 0.5}}}, ""});
  document.blocks.emplace_back(Table{{{"name"}}, {}, "nothing here"});
  Chart chart;
  chart.caption = kNasty;
  chart.x = kNasty;
  chart.series = {"a", kNasty};
  chart.points = {{1, 10, kNasty, 0}, {100, 0.5, "b", 1}, {0, 1, "not drawable", 0}};
  chart.lines = {{{{0.1, 1}, {10, 100}}, kNasty}};
  document.blocks.emplace_back(chart);
  Finding finding;
  finding.title = "add.x";
  finding.outcome = {"fail", Tone::kBad};
  finding.lines = {kNasty, "two"};
  finding.command = "diopi-cli repro add.x";
  document.blocks.emplace_back(finding);
  return document;
}

size_t Count(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(WriteHtml, EscapesEverywhereAndFetchesNothing) {
  const std::string html = WriteHtml(Sample());
  EXPECT_EQ(html.find("<b>"), std::string::npos);
  EXPECT_EQ(html.find('\xff'), std::string::npos);
  EXPECT_EQ(Count(html, "&lt;b&gt;|`*_&amp;&quot;?"),
            11u);  // <title>, h1, cover, paragraph, finding, and six in the chart
  for (const char* fetched : {"<script", "http://", "https://", "src=", "url(", "@import", "<link"}) {
    EXPECT_EQ(html.find(fetched), std::string::npos) << fetched;
  }
}

TEST(WriteHtml, AChartDrawsWhatCanBeDrawn) {
  const std::string html = WriteHtml(Sample());
  EXPECT_EQ(Count(html, "<title>not drawable"), 0u);
  EXPECT_EQ(Count(html, "<title>b</title></rect>"), 1u);
  EXPECT_EQ(Count(html, "<polyline"), 1u);
  Document empty;
  empty.blocks.emplace_back(Chart());
  EXPECT_EQ(Count(WriteHtml(empty), "</svg>"), 1u);
}

TEST(WriteHtml, TheContentsLeadToEveryHeading) {
  const std::string html = WriteHtml(Sample());
  for (const char* id : {"s0", "s1"}) {
    EXPECT_EQ(Count(html, std::string("href=\"#") + id + "\""), 1u);
    EXPECT_EQ(Count(html, std::string(" id=\"") + id + "\""), 1u);
  }
  EXPECT_EQ(html.find("href=\"#s2\""), std::string::npos);
}

TEST(WriteHtml, TablesAndBars) {
  const std::string html = WriteHtml(Sample());
  EXPECT_NE(html.find("<td class=\"number\"><span class=\"bad\">50 %</span><span class=\"meter\"><span "
                      "class=\"fill-bad\" style=\"width:50.0%\">"),
            std::string::npos);
  EXPECT_NE(html.find("nothing here"), std::string::npos);
  EXPECT_EQ(Count(html, "<table>"), 1u);  // the empty one is a sentence
  EXPECT_EQ(
      Count(
          html,
          "<div class=\"bar\" aria-hidden=\"true\"><span class=\"fill-good\" style=\"flex:3\"></span></div>"),
      1u);  // a part of nothing is in the legend only
  EXPECT_NE(html.find("></i>fail 0</li>"), std::string::npos);
}

// All rows share one scale: the shorter one is filled up with nothing.
TEST(WriteHtml, BarsHaveOneScale) {
  const std::string html = WriteHtml(Sample());
  EXPECT_NE(
      html.find("<span>two</span><span class=\"bar\"><span class=\"fill-plain\" style=\"flex:2\"></span>"
                "<span class=\"rest\" style=\"flex:2\"></span></span><span>2</span>"),
      std::string::npos)
      << html;
  EXPECT_EQ(Count(html, "class=\"rest\""), 1u);
  EXPECT_EQ(Count(html, "</i>good</li>"), 1u);
  Document empty;
  empty.blocks.emplace_back(Bars{"nothing", {}});
  EXPECT_EQ(WriteHtml(empty).find("nothing"), std::string::npos);
}

TEST(WriteHtml, HistogramsStackTheirSeries) {
  Document document;
  document.blocks.emplace_back(Histograms{"sizes",
                                          "bytes",
                                          {"1", "<2"},
                                          {{"good", 0, Tone::kGood}, {"bad", 0, Tone::kBad}},
                                          {{"a", {{4, 0}, {1, 0}}}, {"b&", {{0, 3}, {0, 0}}}}});
  const std::string html = WriteHtml(document);
  EXPECT_EQ(Count(html, "<rect"), 3u) << html;
  EXPECT_EQ(Count(html, "height=\"32.0\" class=\"good\"/>"), 1u) << html;  // 4 of 5, of 40 units
  EXPECT_EQ(Count(html, ">4 + 1</text>"), 1u);
  EXPECT_EQ(Count(html, ">b&amp;</text>"), 1u);
  EXPECT_EQ(Count(html, ">&lt;2</text>"), 1u);
  const std::string text = WriteMarkdown(document);
  EXPECT_NE(text.find("| a | good | 4 | 0 |\n| a | bad | 1 | 0 |\n| b&amp; | good | 0 | 3 |\n\n"),
            std::string::npos)
      << text;
  document.blocks = {Histograms{"nothing", "", {"1"}, {}, {}}};
  EXPECT_EQ(WriteHtml(document).find("nothing"), std::string::npos);
  EXPECT_EQ(WriteMarkdown(document).find("nothing"), std::string::npos);
  EXPECT_EQ(WriteText(document).find("nothing"), std::string::npos);
}

TEST(WriteHtml, ARunningHeadCannotEndItsStyle) {
  Document document;
  document.running_head = "a\"}</style>\\\n\xff";
  const std::string html = WriteHtml(document);
  EXPECT_NE(html.find("content: \"a\\22 \\7d \\3c \\2f style\\3e \\5c  \\3f \";"), std::string::npos)
      << html.substr(html.find("content: \"a"), 80);
  EXPECT_EQ(Count(html, "</style>"), 1u);
}

TEST(WriteMarkdown, BarsAndSignaturesAreTables) {
  const std::string text = WriteMarkdown(Sample());
  EXPECT_NE(text.find("all\n\n|  | good |  |  |\n| --- | ---: | ---: | ---: |\n| one | 3 | 1 | 75 % |\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("| Tested by | Ann |\n| Approved by |  |\n"), std::string::npos) << text;
}

TEST(WriteMarkdown, EscapesMarkup) {
  const std::string text = WriteMarkdown(Sample());
  EXPECT_EQ(text.find("<b>"), std::string::npos);
  EXPECT_NE(text.find("# &lt;b>\\|\\`\\*\\_&amp;\"? next\n"), std::string::npos) << text;
  EXPECT_NE(text.find("| name | n |\n| --- | ---: |\n| `a\\|b` | **50 %** |\n"), std::string::npos) << text;
  EXPECT_NE(text.find("````\na\nb ``` c\n````\n"), std::string::npos) << text;
  EXPECT_NE(text.find("**`add.x`**: **fail**\n"), std::string::npos) << text;
  EXPECT_NE(text.find("nothing here"), std::string::npos);
}

}  // namespace
}  // namespace diopi::reports
