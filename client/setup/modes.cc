#include "client/setup/modes.h"

#include <algorithm>
#include <bit>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cases/base/status_macros.h"
#include "cases/core/catalog.h"
#include "client/command_line/options.h"

namespace diopi::agent {
namespace {

constexpr char kEveryTensor[] = "*";  // OperatorFile.nhwc
constexpr char kAuto[] = "auto";      // --max-bytes

}  // namespace

int64_t FreeMemory() {
  std::ifstream file("/proc/meminfo");
  std::string name;
  int64_t kib = 0;
  for (std::string rest; file >> name >> kib; std::getline(file, rest)) {
    if (name == "MemAvailable:") return kib << 10;
  }
  return 0;
}

absl::StatusOr<std::vector<v1::AdaptorRule>> AdaptorRules(const Modes& modes) {
  std::vector<v1::AdaptorRule> rules;
  if (modes.four_bytes) rules.emplace_back().set_dtype("(int64)->int32, (float64)->float32");
  if (!modes.nhwc) return rules;
  std::vector<std::string> layouts;
  if (modes.nhwc_min_dim <= 3) layouts.emplace_back("NLC");
  if (modes.nhwc_min_dim <= 4) layouts.emplace_back("NHWC");
  layouts.emplace_back("NDHWC");
  ASSIGN_OR_RETURN(const std::unique_ptr<cases::Catalog> catalog, cases::Catalog::LoadBuiltin());
  v1::AdaptorRule whole;  // of the operators whose tensors all change
  for (const v1::OperatorFile& op : catalog->operators()) {
    if (op.nhwc().empty()) continue;
    const bool every = op.nhwc(0) == kEveryTensor;
    v1::AdaptorRule& rule = every ? whole : rules.emplace_back();
    rule.add_operator_(op.operator_());
    rule.set_layout(absl::StrJoin(layouts, ", "));
    if (!every) rule.mutable_argument()->CopyFrom(op.nhwc());
  }
  rules.push_back(std::move(whole));
  return rules;
}

int64_t TensorBytesForFreeMemory(int64_t free) {
  constexpr int64_t kLeast = int64_t{1} << 20;
  return static_cast<int64_t>(
      std::bit_floor(static_cast<uint64_t>(std::max(free / kTensorsInMemory, kLeast))));
}

std::string ModelListText() {
  const absl::StatusOr<std::unique_ptr<cases::Catalog>> catalog = cases::Catalog::LoadBuiltin();
  if (!catalog.ok()) return absl::StrCat(catalog.status().message(), "\n");
  std::string text;
  for (const cases::ModelText& model : (*catalog)->models())
    absl::StrAppend(&text, std::string(model.name), "\n");
  return text;
}

void AddSelectionOptions(CLI::App* app, SelectionArguments* arguments) {
  AddFnameOption(app, &arguments->functions);
  app->add_option("--case", arguments->cases, "Only cases whose id matches this glob");
  app->add_option("--suite", arguments->suite,
                  "Suite: core (default), or smoke, a sixth of core for a quick check");
  app->add_option(
         "--model,--model-name", arguments->models,
         "The calls of these models, names or globs, scaled to --max-bytes. A name may be followed by "
         "sizes and stages, as in llama3_8b@requests=4@stage=decode; --get-model-list lists the models")
      ->delimiter(',');
  app->add_option(
         "--max-bytes", arguments->max_tensor_bytes,
         "With --model: size of the largest tensor, such as 1G or 16K (all models take minutes); larger "
         "calls are scaled; auto (the default): an eighth of the free memory of this machine or, in a run, "
         "of the library's device if that is less, rounded down to a power of two")
      ->transform(CLI::Validator(
          [](std::string& text) {
            const bool automatic = text == kAuto;
            if (automatic) text = "0";
            std::string error = CLI::AsSizeValue(false)(text);
            if (error.empty() && !automatic) error = CLI::Range(int64_t{1} << 10, int64_t{1} << 42)(text);
            return error;
          },
          "SIZE"));
  app->add_flag_callback(
      "--get-model-list",
      [] {
        std::cout << ModelListText();
        throw CLI::Success();
      },
      "List the models that have a suite, and exit");
  app->add_option("--dtype", arguments->dtypes, "Only these dtypes")->delimiter(',');
  app->add_option("--filter-dtype", arguments->filter_dtypes, "All dtypes except these")->delimiter(',');
}

}  // namespace diopi::agent
