#include "client/profile/source.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/tokenizer.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/profile/names.h"

namespace diopi::profile {
namespace {

// The text between two quotes, the `nth` such text of a message.
std::string Quoted(const std::string& message, int nth) {
  size_t end = 0;
  for (int i = 0;; ++i) {
    const size_t begin = message.find('"', end);
    if (begin == std::string::npos) return "";
    end = message.find('"', begin + 1);
    if (end == std::string::npos) return "";
    if (i == nth) return message.substr(begin + 1, end - begin - 1);
    ++end;
  }
}

std::string NearestOf(const std::string& name, const std::vector<std::string>& known) {
  std::string nearest = NearestText(name, known);
  return nearest.empty() ? absl::StrCat("; expected one of: ", absl::StrJoin(known, ", ")) : nearest;
}

// Adds the known names, which the parser's message lacks.
std::string Explain(const std::string& message) {
  const google::protobuf::DescriptorPool* pool = google::protobuf::DescriptorPool::generated_pool();
  std::vector<std::string> known;
  if (message.find("has no field named") != std::string::npos) {
    const google::protobuf::Descriptor* type = pool->FindMessageTypeByName(Quoted(message, 0));
    if (type == nullptr) return message;
    for (int i = 0; i < type->field_count(); ++i) known.push_back(type->field(i)->name());
    return absl::StrCat("there is no field '", Quoted(message, 1), "' here",
                        NearestOf(Quoted(message, 1), known));
  }
  if (message.find("nknown enumeration value") != std::string::npos) {
    // The only enumeration in a profile is the element type.
    for (int code = v1::Dtype::int8; code <= v1::Dtype::complex128; ++code) {
      known.push_back(v1::Dtype::Code_Name(static_cast<v1::Dtype::Code>(code)));
    }
    return absl::StrCat(Quoted(message, 1), ": unknown dtype '", Quoted(message, 0), "'",
                        NearestOf(Quoted(message, 0), known));
  }
  return message;
}

class Collector : public google::protobuf::io::ErrorCollector {
 public:
  explicit Collector(std::string file) : file_(std::move(file)) {}
  void AddError(int line, int column, const std::string& message) override {
    errors_.push_back(absl::StrCat(file_, ":", line + 1, ":", column + 1, ": ", Explain(message)));
  }
  void AddWarning(int /*line*/, int /*column*/, const std::string& /*message*/) override {}
  absl::Status status() const {
    if (errors_.empty()) return absl::InvalidArgumentError(absl::StrCat(file_, ": not a device profile"));
    return absl::InvalidArgumentError(absl::StrJoin(errors_, "\n"));
  }

 private:
  std::string file_;
  std::vector<std::string> errors_;
};

}  // namespace

absl::StatusOr<Source> Source::Parse(std::string_view text, const std::string& file_name) {
  Source source;
  source.file_ = file_name;
  source.tree_ = std::make_unique<google::protobuf::TextFormat::ParseInfoTree>();
  Collector collector(file_name);
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&collector);
  parser.WriteLocationsTo(source.tree_.get());
  if (!parser.ParseFromString(std::string(text), &source.message_)) return collector.status();
  return source;
}

Source::Place Source::PlaceOf(const Path& path) const {
  Place place;
  auto* tree = tree_.get();
  const google::protobuf::Descriptor* message = v1::DeviceProfile::descriptor();
  for (const Step& step : path) {
    if (tree == nullptr || message == nullptr) break;
    const google::protobuf::FieldDescriptor* field = message->FindFieldByName(step.field);
    if (field == nullptr) break;
    const auto location = tree->GetLocation(field, step.index);
    if (location.line >= 0) place = {location.line, location.column};
    message = field->message_type();
    tree = message == nullptr ? nullptr : tree->GetTreeForNested(field, step.index);
  }
  return place;
}

int Source::LineOf(const Path& path) const {
  return PlaceOf(path).line + 1;
}

std::string Source::At(const Path& path) const {
  const Place place = PlaceOf(path);
  std::string text = file_;
  if (place.line >= 0) absl::StrAppend(&text, ":", place.line + 1, ":", place.column + 1);
  const auto name = [](std::string* out, const Step& step) { out->append(step.field); };
  return absl::StrCat(text, ": ", absl::StrJoin(path, ".", name), ": ");
}

void Findings::Add(const Path& path, const std::string& what) {
  lines_.push_back(absl::StrCat(source_.At(path), what));
}

absl::Status Findings::status() const {
  return lines_.empty() ? absl::OkStatus() : absl::InvalidArgumentError(absl::StrJoin(lines_, "\n"));
}

}  // namespace diopi::profile
