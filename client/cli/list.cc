// diopi-cli list: operators, functions, cases or models. Every list is made from the selected cases or calls,
// never from definitions, so it shows what a run with the same options would call.
#include <algorithm>
#include <iostream>
#include <map>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "cases/base/dtype.h"
#include "cases/findings/finding_text.h"
#include "client/cli/command.h"
#include "client/cli/output.h"
#include "client/cli/selection.h"

namespace diopi::cli {
namespace {

// Facts about an operator or a function, from its cases.
struct Entry {
  std::string family;
  std::set<std::string> functions;
  std::set<std::string> dtypes;
  int64_t cases = 0;
};

class ListCommand final : public Command {
 public:
  std::string name() const override { return "list"; }
  std::string description() const override { return "Lists operators, functions, cases or models"; }
  std::string examples() const override {
    return "  diopi-cli list --fname add                          the operator and its functions\n"
           "  diopi-cli list cases --fname add --dtype float32    ids of cases\n"
           "  diopi-cli list functions --count                    how many functions have cases\n"
           "  diopi-cli list models --fname conv2d                the models that call it\n";
  }
  void AddOptions(CLI::App* app) override {
    app->add_option("what", what_, "operators (default), functions, cases or models")
        ->check(CLI::IsMember({"operators", "functions", "cases", "models"}));
    agent::AddSelectionOptions(app, &selection_);
    AddCasesOption(app, &selection_.cases_folder);
    app->add_flag("--scaled", scaled_, "With models: also list each scaled call with the reason");
    AddFormatOption(app, reports::ListFormats(), &format_);
    app->add_flag("--count", count_, "Print only the number of cases, or of what WHAT names");
  }

  ExitCode Run() override {
    if (what_ == "models") return PrintError(PrintModels());
    const absl::StatusOr<std::vector<v1::Case>> cases = SelectRunCases(selection_);
    if (!cases.ok()) return PrintError(cases.status());
    if (what_.empty()) what_ = count_ ? "cases" : "operators";
    if (what_ == "cases") {
      return PrintError(PrintCases(*cases));
    }
    return PrintError(PrintEntries(*cases));
  }

 private:
  // One line per model that makes a selected call: its calls, how many of them are scaled, and what it is.
  absl::Status PrintModels() const {
    struct Calls {
      int64_t all = 0;
      std::string summary;
      std::vector<std::string> reasons;  // a line for each scaled call
    };
    std::map<std::string, Calls> models;
    absl::Status status = VisitModelCalls(
        selection_,
        [&](const cases::Model& model, const cases::ModelCall& line, const cases::CallCases& call) {
          Calls& calls = models[model.name];
          ++calls.all;
          calls.summary = FindingText(model.about);
          if (call.scaled)
            calls.reasons.push_back(absl::StrCat("  ", line.text, "\n    ", call.why_scaled, "\n"));
          return absl::OkStatus();
        });
    if (!status.ok()) return status;
    if (count_) {
      std::cout << models.size() << "\n";
      return absl::OkStatus();
    }
    if (format_ != "text") {
      reports::Table table{{{"model"}, {"calls", true}, {"scaled", true}, {"summary"}}, {}};
      for (const auto& [name, calls] : models)
        table.rows.push_back(
            {{name}, {absl::StrCat(calls.all)}, {absl::StrCat(calls.reasons.size())}, {calls.summary}});
      return WriteTable(table, format_);
    }
    for (const auto& [name, calls] : models) {
      std::cout << absl::StrFormat("%-20s %5d calls, %4d scaled  %s\n", name, calls.all, calls.reasons.size(),
                                   calls.summary);
      if (scaled_) std::cout << absl::StrJoin(calls.reasons, "");
    }
    return absl::OkStatus();
  }

  absl::Status PrintCases(const std::vector<v1::Case>& cases) const {
    if (count_) {
      std::cout << cases.size() << "\n";
      return absl::OkStatus();
    }
    if (format_ != "text") {
      reports::Table table{{{"case"}, {"function"}, {"dtype"}}, {}};
      for (const v1::Case& c : cases)
        table.rows.push_back({{c.id()}, {c.function()}, {std::string(DtypeName(c.dtype()))}});
      return WriteTable(table, format_);
    }
    for (const v1::Case& c : cases) std::cout << c.id() << "\n";
    return absl::OkStatus();
  }

  absl::Status PrintEntries(const std::vector<v1::Case>& cases) const {
    const bool functions = what_ == "functions";
    std::map<std::string, Entry> entries;
    size_t width = what_.size();
    for (const v1::Case& c : cases) {
      if (functions && c.function().empty())
        continue;  // a check of the library that tests no single function
      const std::string& key = functions ? c.function() : c.operator_();
      Entry& entry = entries[key];
      entry.family = c.family();
      const std::string& other = functions ? c.operator_() : c.function();
      if (!other.empty()) entry.functions.insert(other);
      entry.dtypes.insert(std::string(DtypeName(c.dtype())));
      ++entry.cases;
      width = std::max(width, key.size());
    }
    if (count_) {
      std::cout << entries.size() << "\n";
      return absl::OkStatus();
    }
    if (format_ != "text") {
      reports::Table table{{{functions ? "function" : "operator"},
                            {"family"},
                            {"cases", true},
                            {functions ? "operators" : "functions"},
                            {"dtypes"}},
                           {}};
      for (const auto& [key, entry] : entries) {
        table.rows.push_back({{key},
                              {entry.family},
                              {absl::StrCat(entry.cases)},
                              {absl::StrJoin(entry.functions, " ")},
                              {absl::StrJoin(entry.dtypes, " ")}});
      }
      return WriteTable(table, format_);
    }
    for (const auto& [key, entry] : entries) {
      std::cout << absl::StrFormat("%-*s %-16s %6d cases  %s  (%s)\n", static_cast<int>(width), key,
                                   entry.family, entry.cases, absl::StrJoin(entry.functions, " "),
                                   absl::StrJoin(entry.dtypes, " "));
    }
    return absl::OkStatus();
  }

  std::string what_;
  agent::SelectionArguments selection_;
  std::string format_;
  bool count_ = false;
  bool scaled_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeListCommand() {
  return std::make_unique<ListCommand>();
}

}  // namespace diopi::cli
