// diopi-cli time: measures a library's calls, one line of JSON per case. The library is loaded into this
// process, with neither worker nor sandbox, so that nothing lies between clock and call. Each line has the
// case's definition and, with --inputs, its tensors on disk: other programs can then time the same call.
#include <google/protobuf/util/json_util.h>

#include <filesystem>
#include <iostream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "baselines/generate/generate.h"
#include "cases/base/status_macros.h"
#include "cases/base/text.h"
#include "client/cli/command.h"
#include "client/cli/output.h"
#include "client/cli/selection.h"
#include "client/command_line/command_line.h"
#include "client/setup/largest.h"
#include "client/setup/library_facts.h"
#include "client/setup/paths.h"
#include "impl_loader/caller/case_caller.h"

namespace diopi::cli {
namespace {

class TimeCommand final : public Command {
 public:
  std::string name() const override { return "time"; }
  std::string description() const override {
    return "Measures the time of a trusted library's calls, in this process; diopi-agent --performance is "
           "the "
           "full performance test";
  }
  std::string examples() const override {
    return "  diopi-cli time --impl libdiopi_impl.so --fname conv2d    how long the calls take\n";
  }
  void AddOptions(CLI::App* app) override {
    AddImplOption(app, &impl_)->required();
    agent::AddSelectionOptions(app, &selection_);
    AddCasesOption(app, &selection_.cases_folder);
    app->add_option("--largest", largest_, "Only this many of the largest cases of each function and dtype")
        ->check(CLI::Range(1, 1'000'000));
    app->add_option("--samples", options_.samples, "Number of samples per case")
        ->capture_default_str()
        ->check(CLI::Range(1, 100'000));
    app->add_option("--calls", options_.max_calls, "Most calls per sample")
        ->capture_default_str()
        ->check(CLI::Range(1, 100'000));
    app->add_option("--warmup", options_.warmup, "Number of calls before the first sample")
        ->capture_default_str()
        ->check(CLI::Range(1, 100'000));
    app->add_option("--seconds", options_.seconds, "Approximate time for the samples of a case, in seconds")
        ->capture_default_str()
        ->check(CLI::Range(0.0, 86400.0));
    app->add_option(
        "--inputs", inputs_,
        "Folder to write the inputs to, one file per tensor, so that other programs can be timed on them");
    app->add_option("--output", output_,
                    "File to write, one line of JSON per case (default: standard output)");
    AddLibraryOption(app, &library_);
    ShowFirst({"--impl", "--fname", "--case", "--model", "--dtype", "--largest", "--samples", "--seconds",
               "--inputs", "--output"},
              app);
  }

  ExitCode Run() override {
    absl::StatusOr<std::vector<v1::Case>> cases = SelectCases(selection_);
    if (!cases.ok()) return PrintError(cases.status());
    if (largest_ > 0) cases = agent::LargestCases(*std::move(cases), static_cast<size_t>(largest_));
    const absl::StatusOr<agent::LibraryFacts> facts = agent::InspectLibrary(impl_);
    if (!facts.ok()) return PrintError(facts.status());
    const auto oracle = loader::InProcessLibrary::Open(agent::ReferenceLibraryOr(library_));
    if (!oracle.ok()) return PrintError(oracle.status());
    const auto caller = loader::CaseCaller::Open(facts->path, /*exact_memory=*/false);
    if (!caller.ok()) return PrintError(caller.status());
    std::string text = absl::StrCat("{\"library\": ", QuotedText(facts->path), ", \"sha256\": \"",
                                    facts->sha256, "\", \"vendor\": ", QuotedText((*caller)->vendor_name()),
                                    ", \"version\": ", QuotedText((*caller)->impl_version()), "}\n");
    int failed = 0;
    for (const v1::Case& c : *cases) {
      const absl::StatusOr<std::string> line = OneCase(c, **oracle, **caller, &failed);
      if (!line.ok()) return PrintError(line.status());
      absl::StrAppend(&text, *line, "\n");
    }
    const absl::Status written = WriteOutput(text, output_);
    if (!written.ok()) return PrintError(written);
    std::cerr << absl::StrFormat("%d cases, %d without a time\n", cases->size(), failed);
    return ExitCode::kOk;
  }

 private:
  // Returns one line, with the reason for a case that cannot be called. An error means that a file cannot be
  // written.
  absl::StatusOr<std::string> OneCase(const v1::Case& c, loader::InProcessLibrary& oracle,
                                      loader::CaseCaller& caller, int* failed) {
    std::string line = absl::StrCat("{\"case\": ", QuotedText(c.id()));
    const absl::StatusOr<baselines::Baseline> baseline = baselines::GenerateInputs(oracle, c);
    absl::StatusOr<loader::CaseTime> time = absl::UnknownError("");
    if (!baseline.ok()) time = baseline.status();
    if (baseline.ok()) {
      time = caller.Time(baseline->c, baseline->inputs, options_);
      ASSIGN_OR_RETURN(std::string files, WriteInputs(*baseline));
      std::string json;
      if (!google::protobuf::util::MessageToJsonString(baseline->c, &json).ok()) {
        return absl::InternalError(absl::StrCat(c.id(), " cannot be written as JSON"));
      }
      absl::StrAppend(&line, ", \"definition\": ", json, ", \"inputs\": ", files);
    }
    if (!time.ok()) {
      ++*failed;
      return absl::StrCat(line, ", \"error\": ", QuotedText(std::string(time.status().message())), "}");
    }
    const auto number = [](std::string* out, double value) { absl::StrAppendFormat(out, "%.4f", value); };
    return absl::StrCat(line, ", \"clock\": \"", time->device_clock ? "device" : "host",
                        "\", \"calls\": ", time->calls, ", \"late\": ", time->late, ", \"microseconds\": [",
                        absl::StrJoin(time->microseconds, ", ", number), "]}");
  }

  absl::StatusOr<std::string> WriteInputs(const baselines::Baseline& baseline) {
    if (inputs_.empty()) return std::string("{}");
    std::error_code error;
    std::filesystem::create_directories(inputs_, error);
    std::vector<std::string> members;
    for (const auto& [key, tensor] : baseline.inputs) {
      const std::string file = absl::StrCat(inputs_, "/", ++files_, ".bin");
      RETURN_IF_ERROR(WriteOutput(tensor.data, file));
      members.push_back(absl::StrCat(
          QuotedText(key), ": {\"dtype\": \"", std::string(DtypeName(tensor.dtype)), "\", \"shape\": [",
          absl::StrJoin(tensor.shape, ", "), "], \"file\": ", QuotedText(file), "}"));
    }
    return absl::StrCat("{", absl::StrJoin(members, ", "), "}");
  }

  std::string impl_;
  agent::SelectionArguments selection_;
  int largest_ = 0;  // 0: all
  loader::TimeOptions options_;
  std::string inputs_;
  std::string output_;
  std::string library_;
  int64_t files_ = 0;
};

}  // namespace

std::unique_ptr<Command> MakeTimeCommand() {
  return std::make_unique<TimeCommand>();
}

}  // namespace diopi::cli
