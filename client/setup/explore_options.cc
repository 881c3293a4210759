#include "client/setup/explore_options.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "cases/base/status_macros.h"

namespace diopi::agent {

absl::StatusOr<ExploreAmount> ParseExploreAmount(const std::string& text) {
  const absl::Status refused = absl::InvalidArgumentError(
      absl::StrCat("expected a number of calls (5000) or a time (90s, 10m, 2h), found '", text, "'"));
  if (text.empty()) return refused;
  ExploreAmount amount;
  const std::string units = "smh";
  const size_t unit = units.find(text.back());
  if (unit == std::string::npos) {
    if (!absl::SimpleAtoi(text, &amount.calls) || amount.calls <= 0) return refused;
    return amount;
  }
  double number = 0;
  const bool valid = absl::SimpleAtod(text.substr(0, text.size() - 1), &number) && number > 0 && number < 1e6;
  if (!valid) return refused;
  constexpr double kSeconds[] = {1, 60, 3600};
  amount.time = std::chrono::duration<double>(number * kSeconds[unit]);
  return amount;
}

CLI::Option* AddExploreOptions(CLI::App* app, ExploreArguments* arguments) {
  CLI::Option* explore =
      app->add_option(
             "--explore", arguments->amount,
             "Instead of the suite, make random valid calls of the selected functions: a number of calls "
             "(5000) or a time (90s, 10m, 2h)")
          ->check([](const std::string& text) {
            return std::string(ParseExploreAmount(text).status().message());
          });
  app->add_option("--seed", arguments->seed, "Seed of the random calls (default: 1)")
      ->needs(explore)
      ->check(CLI::Range(uint64_t{0}, uint64_t{999'999'999}));
  app->add_flag("--stop-on-first", arguments->stop_on_first, "Stop exploring at the first failure")
      ->needs(explore);
  return explore;
}

absl::StatusOr<v1::ExplorationOptions> MakeExplorationOptions(const ExploreArguments& arguments) {
  ASSIGN_OR_RETURN(const ExploreAmount amount, ParseExploreAmount(arguments.amount));
  v1::ExplorationOptions options;
  options.set_calls(amount.calls);
  options.set_seconds(amount.time.count());
  options.set_seed(arguments.seed);
  options.set_stop_on_first(arguments.stop_on_first);
  return options;
}

}  // namespace diopi::agent
