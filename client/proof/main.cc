// diopi-proof: does the method catch every bug, and does it accuse nobody falsely?
#include <CLI/CLI.hpp>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "cases/core/catalog.h"
#include "client/agent/paths.h"
#include "client/proof/case_value.h"
#include "client/proof/planted_library.h"
#include "client/proof/tally.h"
#include "client/proof/trial.h"

namespace diopi::proof {
namespace {

constexpr int kProven = 0;
constexpr int kNotProven = 1;
constexpr int kCannotRun = 3;

struct Arguments {
  std::string reference = agent::DefaultReferenceLibrary();
  std::string mutants = agent::ProgramFolder() + "/../lib/vendors/libdiopi_mutants.so";
  std::string variants = agent::ProgramFolder() + "/../lib/vendors/libdiopi_variants.so";
  std::vector<std::string> functions;
  std::vector<std::string> only;  // globs of planted names
  int seeds = 3;
  int threads = 2;
  bool verbose = false;
};

int Tell(const absl::Status& status) {
  std::cerr << "diopi-proof: " << std::string(status.message()) << "\n";
  return kCannotRun;
}

bool Wanted(const Arguments& arguments, const std::string& name) {
  if (arguments.only.empty()) return true;
  return std::any_of(arguments.only.begin(), arguments.only.end(),
                     [&](const std::string& glob) { return cases::GlobMatch(glob, name); });
}

absl::StatusOr<Tally> RunLibrary(const Arguments& arguments, const std::string& library,
                                 const std::string& switch_variable, int seeds) {
  absl::StatusOr<std::vector<Planted>> planted = ReadPlanted(library);
  if (!planted.ok()) return planted.status();
  TrialOptions options;
  options.library = library;
  options.switch_variable = switch_variable;
  options.reference_library = arguments.reference;
  for (Planted& each : *planted) {
    if (Wanted(arguments, each.name)) options.planted.push_back(std::move(each));
  }
  for (const std::string& function : arguments.functions) options.selection.add_functions(function);
  options.seeds = seeds;
  options.threads = arguments.threads;
  Tally tally(options.planted);
  const absl::Status status = RunTrials(options, [&](const Trial& trial) { tally.Add(trial); });
  if (!status.ok()) return status;
  return tally;
}

int RunVerdict(const Arguments& arguments) {
  const absl::StatusOr<Tally> mutants = RunLibrary(arguments, arguments.mutants, "DIOPI_MUTANT", 1);
  if (!mutants.ok()) return Tell(mutants.status());
  std::cout << "Planted bugs, each over the cases of its functions in suite core\n\n"
            << mutants->MutantTable();
  const absl::StatusOr<Tally> variants =
      RunLibrary(arguments, arguments.variants, "DIOPI_VARIANT", arguments.seeds);
  if (!variants.ok()) return Tell(variants.status());
  std::cout << absl::StrFormat("\nOther correct ways to compute, %d seeds of inputs each\n\n",
                               arguments.seeds)
            << variants->VariantTable();
  std::cout << absl::StrFormat("\nthe public rule accuses the correct ones in %d of %d verdicts\n",
                               variants->PublicAlarms(), variants->Verdicts());
  std::cout << absl::StrFormat("mutants caught %d of %d (public rule %d of %d), false alarms %d of %d\n",
                               mutants->Caught(), mutants->records().size(), mutants->PublicCaught(),
                               mutants->records().size(), variants->Alarms(), variants->Verdicts());
  const bool all = mutants->Caught() == static_cast<int64_t>(mutants->records().size());
  return all && variants->Alarms() == 0 ? kProven : kNotProven;
}

int RunCases(const Arguments& arguments) {
  CaseValueOptions options;
  options.reference_library = arguments.reference;
  options.mutants_library = arguments.mutants;
  for (const std::string& function : arguments.functions) options.selection.add_functions(function);
  const auto matrices = MeasureCases(options);
  if (!matrices.ok()) return Tell(matrices.status());
  std::cout << CaseValueText(*matrices, arguments.verbose);
  return kProven;
}

int Main(int argc, char** argv) {
  CLI::App app("Does the method catch every bug, and does it accuse nobody falsely?", "diopi-proof");
  Arguments arguments;
  app.require_subcommand(1);
  app.add_option("--reference", arguments.reference, "The CPU reference, libdiopi_cpu.so");
  app.add_option("--mutants", arguments.mutants, "The library with planted bugs");
  app.add_option("--fname", arguments.functions, "Only these operators or functions");
  app.add_option("--threads", arguments.threads, "Workers side by side")->check(CLI::Range(1, 64));
  CLI::App* verdict = app.add_subcommand(
      "verdict",
      "Runs every planted bug and every other correct way to compute; exit 1 when a bug is not "
      "caught or a correct library is accused");
  verdict->add_option("--variants", arguments.variants, "The library with other correct ways to compute");
  verdict->add_option("--only", arguments.only, "Only what is planted under these names (globs)");
  verdict->add_option("--seeds", arguments.seeds, "Sets of generated inputs for the correct ones")
      ->check(CLI::Range(1, 1000));
  CLI::App* cases = app.add_subcommand(
      "cases",
      "Reports, per operator, the bugs that no case catches and the cases that catch nothing others do not");
  cases->add_flag("--verbose", arguments.verbose, "List every case that catches nothing others do not");
  verdict->fallthrough();
  cases->fallthrough();
  CLI11_PARSE(app, argc, argv);
  return cases->parsed() ? RunCases(arguments) : RunVerdict(arguments);
}

}  // namespace
}  // namespace diopi::proof

int main(int argc, char** argv) {
  return diopi::proof::Main(argc, argv);
}
