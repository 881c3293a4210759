// diopi-cli reach: which classes of inputs, and pairs of classes, have a case.
#include "cases/core/reach.h"

#include <algorithm>
#include <iostream>
#include <set>
#include <utility>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "cases/core/catalog.h"
#include "client/cli/command.h"

namespace diopi::cli {
namespace {

class ReachCommand final : public Command {
 public:
  std::string name() const override { return "reach"; }
  std::string description() const override {
    return "Shows which classes of inputs, and pairs of classes, each function's cases reach";
  }
  std::string examples() const override {
    return "  diopi-cli reach --fname conv2d --classes    classes of each axis of one operator\n"
           "  diopi-cli reach --holes                     what no case reaches, without a reason\n";
  }
  void AddOptions(CLI::App* app) override {
    AddFnameOption(app, &names_);
    app->add_flag("--classes", classes_, "List the classes of each axis, and why some have no case");
    app->add_flag("--holes", holes_, "Print only what is missing without a reason");
  }

  ExitCode Run() override {
    const absl::StatusOr<std::unique_ptr<cases::Catalog>> catalog = cases::Catalog::LoadBuiltin();
    if (!catalog.ok()) return PrintError(catalog.status());
    v1::Selection selection;
    for (const std::string& name : names_) selection.add_functions(name);
    const absl::StatusOr<std::vector<v1::Case>> selected = (*catalog)->Select(selection);
    if (!selected.ok()) return PrintError(selected.status());
    // A function may be in the files of several operators, not all of which need be selected.
    std::set<std::pair<std::string, std::string>> functions;
    for (const v1::Case& c : *selected) functions.emplace(c.operator_(), c.function());
    if (!holes_)
      std::cout << absl::StrFormat("%-34s %6s %8s %9s  %s\n", "function", "cases", "pairs", "excluded",
                                   "dtypes");
    for (const v1::OperatorFile& op : (*catalog)->operators()) {
      const absl::StatusOr<std::vector<cases::FunctionReach>> reached = cases::ReachOf(op);
      if (!reached.ok()) return PrintError(reached.status());
      for (const cases::FunctionReach& reach : *reached) {
        if (functions.contains({op.operator_(), reach.function})) Print(reach);
      }
    }
    std::cout << printed_.size() << " functions, " << total_.cases << " cases, " << total_.pairs
              << " pairs of classes with a case, " << total_.excluded << " that no case can have, "
              << total_.common << " classes of layouts and digits, of which " << total_.thin
              << " with a reason have fewer than " << cases::kEnoughCases << " cases, " << total_.holes
              << " holes\n";
    return total_.holes == 0 ? ExitCode::kOk : ExitCode::kFailed;
  }

 private:
  struct Total {
    int64_t cases = 0, pairs = 0, excluded = 0, common = 0, thin = 0, holes = 0;
  };

  void Print(const cases::FunctionReach& reach) {
    int64_t pairs = 0, excluded = 0;
    for (const cases::Reach& cover : reach.covers) {
      pairs += cover.pairs;
      excluded += cover.excluded_pairs;
    }
    printed_.insert(reach.function);
    const auto thin = std::count_if(reach.common.begin(), reach.common.end(),
                                    [](const auto& each) { return each.cases < cases::kEnoughCases; });
    total_ = {total_.cases + reach.cases, total_.pairs + pairs,
              total_.excluded + excluded, total_.common + static_cast<int64_t>(reach.common.size()),
              total_.thin + thin,         total_.holes + static_cast<int64_t>(reach.holes.size())};
    if (!holes_) {
      std::cout << absl::StrFormat("%-34s %6d %8d %9d  %s\n", reach.function, reach.cases, pairs, excluded,
                                   absl::StrJoin(reach.dtypes, " "));
    }
    for (const std::string& hole : reach.holes) std::cout << reach.function << ": " << hole << "\n";
    if (!classes_ || holes_) return;
    for (const std::string& line : cases::CommonLines(reach.common, reach.function))
      std::cout << line << "\n";
    for (const cases::Reach& cover : reach.covers) PrintClasses(cover);
  }

  static void PrintClasses(const cases::Reach& cover) {
    for (const cases::AxisReach& axis : cover.axes) {
      std::cout << "  " << axis.axis << ": " << absl::StrJoin(axis.reached, " ") << "\n";
      for (const std::string& why : axis.excluded) std::cout << "    without " << why << "\n";
    }
  }

  std::vector<std::string> names_;
  bool classes_ = false;
  bool holes_ = false;
  Total total_;
  std::set<std::string> printed_;  // functions
};

}  // namespace

std::unique_ptr<Command> MakeReachCommand() {
  return std::make_unique<ReachCommand>();
}

}  // namespace diopi::cli
