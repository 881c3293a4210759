#include "cases/base/textproto.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/tokenizer.h>

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace diopi {
namespace {

class SyntaxErrors : public google::protobuf::io::ErrorCollector {
 public:
  SyntaxErrors(const std::string& file, absl::FunctionRef<std::string(const std::string&)> explain)
      : file_(file), explain_(explain) {}
  void AddError(int line, int column, const std::string& message) override {
    errors_.push_back(absl::StrCat(file_, ":", line + 1, ":", column + 1, ": ", explain_(message)));
  }
  void AddWarning(int /*line*/, int /*column*/, const std::string& /*message*/) override {}
  const std::vector<std::string>& errors() const { return errors_; }

 private:
  const std::string& file_;
  absl::FunctionRef<std::string(const std::string&)> explain_;
  std::vector<std::string> errors_;
};

}  // namespace

SourceLines::Place SourceLines::PlaceOf(const FieldPath& path) const {
  Place place;
  auto* tree = tree_.get();
  const google::protobuf::Descriptor* message = type_;
  for (const FieldStep& step : path) {
    if (tree == nullptr || message == nullptr) break;
    const google::protobuf::FieldDescriptor* field = message->FindFieldByName(step.field);
    if (field == nullptr) break;
    const auto location = tree->GetLocation(field, step.index);
    if (location.line >= 0) place = {location.line + 1, location.column + 1};
    message = field->message_type();
    tree = message == nullptr ? nullptr : tree->GetTreeForNested(field, step.index);
  }
  return place;
}

std::string SourceLines::At(const FieldPath& path) const {
  const int line = PlaceOf(path).line;
  return line == 0 ? absl::StrCat(file_, ": ") : absl::StrCat(file_, ":", line, ": ");
}

absl::StatusOr<SourceLines> ParseTextproto(std::string_view text, std::string file,
                                           google::protobuf::Message* message,
                                           absl::FunctionRef<std::string(const std::string&)> explain) {
  SourceLines lines(std::move(file));
  lines.type_ = message->GetDescriptor();
  lines.tree_ = std::make_unique<google::protobuf::TextFormat::ParseInfoTree>();
  SyntaxErrors errors(lines.file_, explain);
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&errors);
  parser.WriteLocationsTo(lines.tree_.get());
  if (parser.ParseFromString(std::string(text), message)) return lines;
  return absl::InvalidArgumentError(absl::StrJoin(errors.errors(), "\n"));
}

}  // namespace diopi
