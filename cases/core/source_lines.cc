#include "cases/core/source_lines.h"

#include "absl/strings/str_cat.h"

namespace diopi::cases {

std::string SourceLines::At(const Path& path) const {
  int line = -1;
  auto* tree = tree_.get();
  const google::protobuf::Descriptor* message = v1::OperatorFile::descriptor();
  for (const Step& step : path) {
    if (tree == nullptr || message == nullptr) break;
    const google::protobuf::FieldDescriptor* field = message->FindFieldByName(step.field);
    if (field == nullptr) break;
    const auto location = tree->GetLocation(field, step.index);
    if (location.line >= 0) line = location.line;
    message = field->message_type();
    tree = message == nullptr ? nullptr : tree->GetTreeForNested(field, step.index);
  }
  return line < 0 ? absl::StrCat(file_, ": ") : absl::StrCat(file_, ":", line + 1, ": ");
}

}  // namespace diopi::cases
