// A table is made once and written in any format. Cells are plain words and numbers for that reason: a figure
// is a number in CSV and JSON, and "-" means unknown.
#include "reports/render/lists.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "cases/base/outcome.h"
#include "cases/base/text.h"
#include "proto/enum_name.h"
#include "reports/render/json_parts.h"
#include "reports/render/measurements.h"
#include "reports/render/run_document.h"

namespace diopi::reports {
namespace {

constexpr size_t kShownDigits = 12;  // of a library's hash

Text Count(int64_t count) {
  return {absl::StrCat(count)};
}

Text Figure(double value) {
  return {std::isnan(value) ? "-" : absl::StrFormat("%.4g", value)};
}

std::string OrDash(const std::string& text) {
  return text.empty() ? "-" : text;
}

std::string OutcomeCountsText(const v1::RunSummary& run) {
  std::vector<std::string> parts;
  for (const v1::Outcome outcome : OutcomeOrder()) {
    for (const v1::OutcomeCount& count : run.outcomes()) {
      if (count.outcome() == outcome) parts.push_back(absl::StrCat(OutcomeName(outcome), " ", count.cases()));
    }
  }
  return OrDash(absl::StrJoin(parts, ", "));
}

std::string LibraryText(const v1::RunSummary& run) {
  return absl::StrCat(OrDash(run.vendor_name()), " ", OrDash(run.impl_version()), " ",
                      OrDash(run.impl_sha256().substr(0, kShownDigits)));
}

std::string StateOf(const v1::CoverageCell& cell) {
  if (!cell.implemented()) return "not implemented";
  if (!cell.tested()) return "not tested";
  if (cell.passed() == cell.cases()) return absl::StrCat("passes ", cell.cases());
  return absl::StrCat("passes ", cell.passed(), " of ", cell.cases());
}

Tone ToneOfCell(const v1::CoverageCell& cell) {
  if (!cell.implemented() || !cell.tested()) return Tone::kMuted;
  return cell.passed() == cell.cases() ? Tone::kGood : Tone::kBad;
}

bool IsOf(const v1::FunctionCoverage& function, const std::string& family) {
  return family.empty() || function.family() == family;
}

Tone ToneOfModel(const v1::ModelCell& cell) {
  return cell.ready() ? Tone::kGood : cell.passes_scaled() ? Tone::kWarn : Tone::kBad;
}

std::string ModelWords(const v1::ModelCell& cell) {
  if (cell.ready()) return absl::StrCat("ready (", cell.calls(), " calls)");
  std::string words = cell.passes_scaled()
                          ? "passes scaled"
                          : absl::StrCat(cell.passing(), " of ", cell.calls(), " calls pass");
  if (cell.scaled() > 0) absl::StrAppend(&words, "; ", ScaledText(cell));
  const std::string between = WhatStandsBetween(cell);
  if (!between.empty()) absl::StrAppend(&words, "; ", between);
  if (cell.not_judged() > 0) absl::StrAppend(&words, "; ", cell.not_judged(), " not judged");
  return words;
}

// A chip that has no complete run: what is known, function by function, and no figure of the whole.
std::vector<Text> OnlyPartial(const v1::ChipRow& chip, size_t columns) {
  std::vector<Text> row(columns, Text{"-"});
  row[0] = {OrDash(chip.chip())};
  row[1] = Count(chip.runs());
  row.back() = {"no complete run yet"};
  if (const v1::KnownFunctions& known = chip.known(); known.tested() > 0) {
    absl::StrAppend(&row.back().text, "; ", known.passing(), " of ", known.tested(),
                    " functions tested pass, last tested ", known.newest());
  }
  return row;
}

// A list of objects, one a line, whose members have the columns' names; figures are numbers, "-" is null.
std::string ListJson(const Table& table) {
  const auto object = [&table](const std::vector<Text>& row) {
    Json json = Json::object();
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string name = absl::StrReplaceAll(table.columns[i].name, {{" ", "_"}});
      const Json figure = table.columns[i].number ? Json::parse(row[i].text, nullptr, false) : Json();
      json[name] = figure.is_number() ? figure : row[i].text == "-" ? Json() : Json(row[i].text);
    }
    return json;
  };
  return absl::StrCat(JsonLines(table.rows, object), "\n");
}

}  // namespace

const std::vector<std::string>& ListFormats() {
  static const auto& formats = *new std::vector<std::string>{"text", "csv", "markdown", "json"};
  return formats;
}

absl::StatusOr<std::string> WriteList(const Table& table, const std::string& format) {
  if (format == "text") return WriteText(table);
  if (format == "csv") return WriteCsv(table);
  if (format == "markdown") return WriteMarkdown(table);
  if (format == "json") return ListJson(table);
  return absl::InvalidArgumentError(
      absl::StrCat("unknown format '", format, "'; known: ", absl::StrJoin(ListFormats(), ", ")));
}

Table RunsTable(const v1::RunsPage& page) {
  Table table{{{"run"},
               {"state"},
               {"chip"},
               {"variant"},
               {"done", true},
               {"cases", true},
               {"passed", true},
               {"called", true},
               {"passing", true},
               {"contracts"},
               {"library"},
               {"partial"},
               {"outcomes"},
               {"labels"}},
              {}};
  for (const v1::RunSummary& run : page.runs()) {
    table.rows.push_back({{run.run_id()},
                          {EnumName(run.state())},
                          {OrDash(run.chip())},
                          {run.variant()},
                          Count(run.done()),
                          Count(run.cases()),
                          Count(run.correctness().passed()),
                          Count(run.correctness().called()),
                          Count(run.coverage().passing()),
                          {OrDash(absl::StrJoin(run.badges(), ","))},
                          {LibraryText(run)},
                          {OrDash(run.partial())},
                          {OutcomeCountsText(run)},
                          {OrDash(server::LabelsText({run.labels().begin(), run.labels().end()}))}});
  }
  return table;
}

Table ChipsTable(const v1::ChipsPage& page) {
  Table table{{{"chip"},
               {"runs", true},
               {"run"},
               {"state"},
               {"passing", true},
               {"functions", true},
               {"exported", true},
               {"with cases", true},
               {"tested", true},
               {"passed", true},
               {"called", true},
               {"asked", true},
               {"failed", true},
               {"waived", true},
               {"contracts"},
               {"library"},
               {"partial"}},
              {}};
  for (const v1::ChipRow& chip : page.chips()) {
    if (!chip.has_complete()) {
      table.rows.push_back(OnlyPartial(chip, table.columns.size()));
      continue;
    }
    const v1::RunSummary& run = chip.complete();
    table.rows.push_back({{OrDash(chip.chip())},
                          Count(chip.runs()),
                          {run.run_id()},
                          {EnumName(run.state())},
                          Count(run.coverage().passing()),
                          Count(run.coverage().abi_functions()),
                          Count(run.coverage().implemented()),
                          Count(run.coverage().with_cases()),
                          Count(run.coverage().tested()),
                          Count(run.correctness().passed()),
                          Count(run.correctness().called()),
                          Count(run.correctness().asked()),
                          Count(run.failed()),
                          Count(run.waivers_in_force()),
                          {OrDash(absl::StrJoin(run.badges(), ","))},
                          {LibraryText(run)},
                          {OrDash(run.partial())}});
  }
  return table;
}

Table HistoryTable(const v1::History& history) {
  Table table{{{"run"},
               {"created"},
               {"variant"},
               {"library"},
               {"outcome"},
               {"max_z", true},
               {"max_ulp", true},
               {"call_us", true},
               {"reason"}},
              {}};
  for (const v1::HistoryPoint& point : history.points()) {
    table.rows.push_back({{point.run_id()},
                          {point.created()},
                          {point.variant()},
                          {OrDash(point.impl_sha256().substr(0, kShownDigits))},
                          {OutcomeName(point.outcome()), ToneOf(point.outcome())},
                          Figure(point.max_z()),
                          Figure(point.max_ulp()),
                          Figure(point.call_us()),
                          {point.reason()}});
  }
  return table;
}

std::vector<std::string> HistoryWords(const v1::History& history) {
  std::vector<std::string> words;
  if (history.first_bad().empty()) {
    words.emplace_back("The newest run passes it.");
  } else {
    words.push_back(
        absl::StrCat("No pass since run ", history.first_bad(), "; ",
                     history.last_good().empty()
                         ? "no run before it passed."
                         : absl::StrCat("the last run that passed before it is ", history.last_good(), ".")));
  }
  if (history.flaky())
    words.push_back(absl::StrCat("Flaky: with the same library the outcome changed ", history.changes(),
                                 history.changes() == 1 ? " time." : " times."));
  for (std::string& line : words) line = OneLine(line);
  return words;
}

Table CoverageTable(const v1::CoveragePage& matrix, const std::string& family) {
  Table table{{{"function"}, {"header"}, {"family"}}, {}, "No function."};
  for (const std::string& chip : matrix.chips()) table.columns.push_back({OrDash(chip)});
  for (const v1::FunctionCoverage& function : matrix.functions()) {
    if (!IsOf(function, family)) continue;
    std::vector<Text>& row = table.rows.emplace_back();
    row = {{function.name()}, {function.header()}, {OrDash(function.family())}};
    for (const v1::CoverageCell& cell : function.cells()) row.push_back({StateOf(cell), ToneOfCell(cell)});
  }
  return table;
}

Table CoverageTotals(const v1::CoveragePage& matrix, const std::string& family) {
  Table table{{{"chip"},
               {"passing", true},
               {"functions", true},
               {"exported", true},
               {"with cases", true},
               {"tested", true}},
              {},
              "No chip."};
  for (int i = 0; i < matrix.chips_size(); ++i) {
    int64_t functions = 0;
    int64_t with_cases = 0;
    int64_t implemented = 0;
    int64_t tested = 0;
    int64_t passing = 0;
    for (const v1::FunctionCoverage& function : matrix.functions()) {
      if (!IsOf(function, family)) continue;
      ++functions;
      if (!function.family().empty()) ++with_cases;
      const v1::CoverageCell& cell = function.cells(i);
      if (cell.implemented()) ++implemented;
      if (cell.tested()) ++tested;
      if (cell.tested() && cell.passed() == cell.cases()) ++passing;
    }
    table.rows.push_back({{OrDash(matrix.chips(i))},
                          Count(passing),
                          Count(functions),
                          Count(implemented),
                          Count(with_cases),
                          Count(tested)});
  }
  return table;
}

Table ModelsTable(const v1::ModelsPage& matrix) {
  Table table{{{"model"}, {"what it is"}}, {}, "No run has the suite of a model: diopi-agent --model NAME."};
  for (const std::string& chip : matrix.chips()) table.columns.push_back({OrDash(chip)});
  for (const v1::ModelRow& model : matrix.models()) {
    if (std::none_of(model.cells().begin(), model.cells().end(),
                     [](const v1::ModelCell& cell) { return cell.calls() > 0; }))
      continue;
    std::vector<Text>& row = table.rows.emplace_back();
    row = {{model.name()}, {model.summary()}};
    for (const v1::ModelCell& cell : model.cells()) {
      row.push_back(cell.calls() == 0 ? Text{"not run", Tone::kMuted}
                                      : Text{ModelWords(cell), ToneOfModel(cell)});
    }
  }
  return table;
}

}  // namespace diopi::reports
