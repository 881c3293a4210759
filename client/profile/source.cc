#include "client/profile/source.h"

#include <google/protobuf/descriptor.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cases/base/match.h"
#include "cases/base/status_macros.h"

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

}  // namespace

absl::StatusOr<Source> Source::Parse(std::string_view text, const std::string& file_name) {
  v1::DeviceProfile message;
  ASSIGN_OR_RETURN(SourceLines lines, ParseTextproto(text, file_name, &message, Explain));
  return Source(std::move(message), std::move(lines));
}

std::string Source::At(const FieldPath& path) const {
  const SourceLines::Place place = lines_.PlaceOf(path);
  std::string text = lines_.file();
  if (place.line > 0) absl::StrAppend(&text, ":", place.line, ":", place.column);
  const auto name = [](std::string* out, const FieldStep& step) { out->append(step.field); };
  return absl::StrCat(text, ": ", absl::StrJoin(path, ".", name), ": ");
}

void Findings::Add(const FieldPath& path, const std::string& what) {
  lines_.push_back(absl::StrCat(source_.At(path), what));
}

absl::Status Findings::status() const {
  return lines_.empty() ? absl::OkStatus() : absl::InvalidArgumentError(absl::StrJoin(lines_, "\n"));
}

}  // namespace diopi::profile
