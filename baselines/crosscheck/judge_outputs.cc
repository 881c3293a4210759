#include "baselines/crosscheck/judge_outputs.h"

#include <algorithm>
#include <fstream>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "baselines/compare/compare.h"
#include "baselines/store/store.h"
#include "cases/base/status_macros.h"
#include "cases/base/tensor.h"

namespace diopi::baselines {
namespace {

struct Line {
  std::string case_id;
  std::string key;
  HostTensor tensor;  // without data
  int64_t offset = 0;
};

// Nothing where the text is not such a line.
std::optional<Line> ParseLine(const std::string& text) {
  const std::vector<std::string> fields = absl::StrSplit(text, '\t');
  if (fields.size() != 5) return std::nullopt;
  Line line{fields[0], fields[1], {}, 0};
  const absl::StatusOr<Dtype> dtype = ParseDtype(fields[2]);
  if (!dtype.ok() || !absl::SimpleAtoi(fields[4], &line.offset) || line.offset < 0) return std::nullopt;
  line.tensor.dtype = *dtype;
  for (const auto size : absl::StrSplit(fields[3], ',', absl::SkipEmpty())) {
    line.tensor.shape.push_back(0);
    if (!absl::SimpleAtoi(size, &line.tensor.shape.back())) return std::nullopt;
  }
  if (!ByteSize(line.tensor.dtype, line.tensor.shape).has_value()) return std::nullopt;
  return line;
}

// "conv2d" of "conv2d.backward.float32.nan".
std::string OperatorOf(const std::string& case_id) {
  return case_id.substr(0, case_id.find('.'));
}

class OutputsJudge {
 public:
  OutputsJudge(const JudgeOutputsOptions& options, const std::function<void(const v1::Verdict&)>& visit)
      : options_(options), visit_(visit) {}

  absl::Status Run() {
    const std::string path = options_.folder + "/outputs.tsv";
    std::ifstream lines(path);
    bytes_.open(options_.folder + "/outputs.bin", std::ios::binary);
    if (!lines || !bytes_) return absl::NotFoundError(absl::StrCat(path, " or outputs.bin cannot be read"));
    std::string text;
    for (int number = 1; std::getline(lines, text); ++number) {
      std::optional<Line> line = ParseLine(text);
      if (!line.has_value())
        return absl::InvalidArgumentError(absl::StrCat(path, ":", number, ": malformed"));
      const absl::Status status = Take(*std::move(line));
      if (!status.ok()) {
        return absl::Status(status.code(), absl::StrCat(path, ":", number, ": ", status.message()));
      }
    }
    return Finish();
  }

 private:
  absl::Status Take(Line line) {
    if (line.case_id != case_id_) {
      RETURN_IF_ERROR(Finish());
      case_id_ = line.case_id;
    }
    const auto size = static_cast<size_t>(*ByteSize(line.tensor.dtype, line.tensor.shape));
    line.tensor.data.resize(size);
    bytes_.seekg(line.offset);
    bytes_.read(line.tensor.data.data(), static_cast<std::streamsize>(size));
    if (!bytes_) return absl::DataLossError(absl::StrCat("outputs.bin is too short for ", line.key));
    outputs_[line.key] = std::move(line.tensor);
    return absl::OkStatus();
  }

  // Judges the case whose last line was read.
  absl::Status Finish() {
    if (case_id_.empty()) return absl::OkStatus();
    const std::string name = OperatorOf(case_id_);
    if (reader_ == nullptr || reader_->operator_name() != name) {
      ASSIGN_OR_RETURN(reader_, BaselineReader::Open(BaselinePath(options_.data_folder, "cpu", name)));
    }
    ASSIGN_OR_RETURN(const Baseline baseline, reader_->Read(case_id_));
    ASSIGN_OR_RETURN(const v1::Case c, reader_->ReadCase(case_id_));
    visit_(CompareCase(c, baseline.inputs, baseline.references, outputs_));
    outputs_.clear();
    return absl::OkStatus();
  }

  const JudgeOutputsOptions& options_;
  const std::function<void(const v1::Verdict&)>& visit_;
  std::ifstream bytes_;
  std::unique_ptr<BaselineReader> reader_;
  std::string case_id_;
  TensorMap outputs_;  // of that case
};

}  // namespace

absl::Status JudgeOutputs(const JudgeOutputsOptions& options,
                          const std::function<void(const v1::Verdict&)>& visit) {
  return OutputsJudge(options, visit).Run();
}

}  // namespace diopi::baselines
