// diopi-proof: checks that the method catches every bug and accuses no correct variant. The exit status is
// the proof: `verdict` fails for one missed bug or one accused variant, `causes` when too many likely causes
// are wrong. Bugs and variants are judged in real workers by the agent's code, with no shortcut that an agent
// does not take.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "cases/base/match.h"
#include "cases/base/printable_stream.h"
#include "cases/base/status_macros.h"
#include "client/command_line/command_line.h"
#include "client/command_line/options.h"
#include "client/proof/case_value.h"
#include "client/proof/causes.h"
#include "client/proof/injected_library.h"
#include "client/proof/tally.h"
#include "client/proof/trial.h"
#include "client/setup/paths.h"

namespace diopi::proof {
namespace {

// The share of the given causes that must be right.
constexpr double kLeastPrecision = 0.95;

struct Arguments {
  std::string reference = agent::DefaultReferenceLibrary();
  std::string bugs = agent::ProgramFolder() + "/../lib/vendors/libdiopi_mutants.so";
  std::string variants = agent::ProgramFolder() + "/../lib/vendors/libdiopi_variants.so";
  std::string native16 = agent::ProgramFolder() + "/../lib/libdiopi_native16.so";
  std::vector<std::string> functions;
  std::string suite = "core";
  std::vector<std::string> only;  // globs of the names of bugs and variants
  int seeds = 3;
  int every = 1;
  int threads = 2;
  bool verbose = false;
};

ExitCode PrintError(const absl::Status& status) {
  std::cerr << "diopi-proof: " << std::string(status.message()) << "\n";
  return ExitCodeFor(status);
}

bool Wanted(const Arguments& arguments, const std::string& name) {
  if (arguments.only.empty()) return true;
  return std::any_of(arguments.only.begin(), arguments.only.end(),
                     [&](const std::string& glob) { return GlobMatch(glob, name); });
}

v1::Selection SelectionOf(const Arguments& arguments) {
  v1::Selection selection;
  for (const std::string& function : arguments.functions) selection.add_functions(function);
  selection.set_suite(arguments.suite);
  return selection;
}

// A library, and the variable that switches on one of its bugs or variants.
struct Source {
  std::string library;
  std::string switch_variable;
};

absl::StatusOr<TrialOptions> TrialsOf(const Arguments& arguments, const Source& source,
                                      const std::function<bool(const Injected&)>& wanted) {
  ASSIGN_OR_RETURN(std::vector<Injected> injected, ReadInjected(source.library));
  TrialOptions options;
  options.library = source.library;
  options.switch_variable = source.switch_variable;
  options.reference_library = arguments.reference;
  for (Injected& each : injected) {
    if (Wanted(arguments, each.name) && wanted(each)) options.injected.push_back(std::move(each));
  }
  options.selection = SelectionOf(arguments);
  options.threads = arguments.threads;
  options.every = arguments.every;
  return options;
}

// In a library of variants, an entry with a number is a bug that a declared contract must not hide.
bool IsBug(const Injected& injected) {
  return injected.catalogue > 0;
}
bool All(const Injected& /*injected*/) {
  return true;
}

absl::StatusOr<Tally> RunLibraries(const Arguments& arguments, const std::vector<Source>& sources,
                                   bool bugs) {
  absl::StatusOr<Tally> sum = Tally({});
  for (const Source& source : sources) {
    const bool both = source.library != arguments.bugs;
    absl::StatusOr<TrialOptions> options =
        TrialsOf(arguments, source, [&](const Injected& each) { return !both || IsBug(each) == bugs; });
    if (!options.ok()) return options.status();
    options->seeds = bugs ? 1 : arguments.seeds;
    Tally tally(options->injected);
    absl::Status status = RunTrials(*options, [&](const Trial& trial) { tally.Add(trial); });
    if (!status.ok()) return status;
    sum->Append(tally);
  }
  return sum;
}

ExitCode RunVerdict(const Arguments& arguments) {
  const Source variant = {arguments.variants, "DIOPI_VARIANT"},
               native16 = {arguments.native16, "DIOPI_NATIVE16"};
  const absl::StatusOr<Tally> bugs =
      RunLibraries(arguments, {{arguments.bugs, "DIOPI_MUTANT"}, variant, native16}, true);
  if (!bugs.ok()) return PrintError(bugs.status());
  std::cout << "Injected bugs, each run on the cases of its functions in suite " << arguments.suite << "\n\n"
            << bugs->BugTable();
  const absl::StatusOr<Tally> variants = RunLibraries(arguments, {variant, native16}, false);
  if (!variants.ok()) return PrintError(variants.status());
  std::cout << absl::StrFormat("\nCorrect variants, %d seeds of inputs each\n\n", arguments.seeds)
            << variants->VariantTable();
  std::cout << absl::StrFormat("\nthe public rule accuses correct variants in %d of %d verdicts\n",
                               variants->PublicAlarms(), variants->Verdicts());
  std::cout << absl::StrFormat(
      "injected bugs caught: %d of %d (public rule %d of %d), false alarms: %d of %d\n", bugs->Caught(),
      bugs->records().size(), bugs->PublicCaught(), bugs->records().size(), variants->Alarms(),
      variants->Verdicts());
  const bool all = bugs->Caught() == static_cast<int64_t>(bugs->records().size());
  return all && variants->Alarms() == 0 ? ExitCode::kOk : ExitCode::kFailed;
}

// Tallies the likely causes for the bugs or variants of `source` in their own table.
absl::StatusOr<CauseTally> RunCauses(const Arguments& arguments, const Source& source, bool declare,
                                     const std::function<bool(const Injected&)>& wanted) {
  ASSIGN_OR_RETURN(TrialOptions options, TrialsOf(arguments, source, wanted));
  options.declare = declare;
  options.explain = true;
  CauseTally tally(options.injected);
  absl::Status status = RunTrials(options, [&](const Trial& trial) {
    tally.Add(trial.injected, trial.verdict);
    if (!arguments.verbose || trial.verdict.outcome() != v1::OUTCOME_FAIL) return;
    std::cout << options.injected[trial.injected].name << "\t" << trial.verdict.case_id() << "\t"
              << trial.verdict.cause_confidence() << "\t" << trial.verdict.likely_cause() << "\t"
              << absl::StrJoin(trial.verdict.would_pass_under(), ",") << "\t" << trial.verdict.reason()
              << "\n";
  });
  if (!status.ok()) return status;
  return tally;
}

ExitCode RunCauses(const Arguments& arguments) {
  const absl::StatusOr<CauseTally> bugs = RunCauses(arguments, {arguments.bugs, "DIOPI_MUTANT"}, true, All);
  if (!bugs.ok()) return PrintError(bugs.status());
  std::cout << "Likely causes of injected bugs\n\n" << bugs->Table();
  const auto declarable = [](const Injected& injected) {
    return !injected.contracts.empty() && !IsBug(injected);
  };
  const absl::StatusOr<CauseTally> arithmetic =
      RunCauses(arguments, {arguments.variants, "DIOPI_VARIANT"}, false, declarable);
  if (!arithmetic.ok()) return PrintError(arithmetic.status());
  const absl::StatusOr<CauseTally> native16 =
      RunCauses(arguments, {arguments.native16, "DIOPI_NATIVE16"}, false,
                [](const Injected& injected) { return !IsBug(injected); });
  if (!native16.ok()) return PrintError(native16.status());
  std::cout << "\nArithmetic that should be declared but is not\n\n"
            << arithmetic->ContractTable() << native16->ContractTable() << "\n"
            << arithmetic->Table() << native16->Table();
  const int64_t right =
      bugs->Count(Stated::kRight) + arithmetic->Count(Stated::kRight) + native16->Count(Stated::kRight);
  const int64_t wrong =
      bugs->Count(Stated::kWrong) + arithmetic->Count(Stated::kWrong) + native16->Count(Stated::kWrong);
  const double precision =
      right + wrong > 0 ? static_cast<double>(right) / static_cast<double>(right + wrong) : 1;
  std::cout << absl::StrFormat("\nlikely causes: %d right, %d wrong: %.1f %% right\n", right, wrong,
                               100 * precision);
  return precision >= kLeastPrecision ? ExitCode::kOk : ExitCode::kFailed;
}

ExitCode RunCases(const Arguments& arguments) {
  CaseValueOptions options;
  options.reference_library = arguments.reference;
  options.bugs_library = arguments.bugs;
  options.selection = SelectionOf(arguments);
  const auto matrices = MeasureCases(options);
  if (!matrices.ok()) return PrintError(matrices.status());
  std::cout << CaseValueText(*matrices, arguments.verbose);
  return ExitCode::kOk;
}

ExitCode Main(int argc, char** argv) {
  CLI::App app("Proves the verdicts: every injected bug is caught, and no correct variant is accused.",
               "diopi-proof");
  Arguments arguments;
  app.require_subcommand(1);
  DescribeProgram("", "  diopi-proof verdict --fname add    every bug and variant of an operator\n", &app);
  Heading("Options", &app);
  app.add_option("--reference", arguments.reference, "The CPU reference, libdiopi_cpu.so");
  app.add_option("--mutants", arguments.bugs, "Library with injected bugs");
  AddFnameOption(&app, &arguments.functions);
  app.add_option("--suite", arguments.suite, "Suite: core (default) or smoke");
  app.add_option("--threads", arguments.threads, "Number of workers")->check(CLI::Range(1, 64));
  CLI::App* verdict = app.add_subcommand("verdict",
                                         "Runs every injected bug and every correct variant; exit status 1 "
                                         "when a bug is not caught or a correct variant is accused");
  verdict->add_option("--variants", arguments.variants, "Library with correct variants");
  verdict->add_option("--only", arguments.only, "Only the bugs and variants with these names (globs)");
  verdict->add_option("--seeds", arguments.seeds, "Number of input sets for each correct variant")
      ->check(CLI::Range(1, 1000));
  CLI::App* cases = app.add_subcommand("cases",
                                       "Reports, per operator, the bugs that no case catches and the cases "
                                       "that catch nothing that other cases do not");
  cases->add_flag("--verbose", arguments.verbose,
                  "List every case that catches nothing that other cases do not");
  CLI::App* causes =
      app.add_subcommand("causes",
                         "Counts how often the likely cause of an injected bug, or of undeclared arithmetic, "
                         "is right, wrong or missing; exit status 1 when too many are wrong");
  causes->add_option("--variants", arguments.variants, "Library with correct variants");
  causes->add_option("--only", arguments.only, "Only the bugs and variants with these names (globs)");
  causes->add_flag("--verbose", arguments.verbose, "List every failure with its cause");
  causes->add_option("--every", arguments.every, "Run only every N-th case of each operator (default: 1)")
      ->check(CLI::Range(1, 1000));
  for (CLI::App* command : {verdict, causes}) {
    command->add_option("--native16", arguments.native16, "The library that computes in 16 bits throughout");
  }
  causes->fallthrough();
  verdict->fallthrough();
  cases->fallthrough();
  const std::optional<ExitCode> leave = ParseCommandLine(NormalizeArguments(argc, argv), &app);
  if (leave.has_value()) return *leave;
  if (causes->parsed()) return RunCauses(arguments);
  return cases->parsed() ? RunCases(arguments) : RunVerdict(arguments);
}

}  // namespace
}  // namespace diopi::proof

int main(int argc, char** argv) {
  const diopi::PrintableStreams printable;
  // CLI11 reports our own mistakes in declaring options as exceptions.
  try {
    return static_cast<int>(diopi::proof::Main(argc, argv));
  } catch (...) {
    std::fputs("diopi-proof: an unexpected exception\n", stderr);
    return static_cast<int>(diopi::ExitCode::kOurs);
  }
}
