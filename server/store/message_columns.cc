#include "server/store/message_columns.h"

#include <algorithm>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace diopi::server {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

constexpr char kExtra[] = "extra";

bool IsLines(const FieldDescriptor& field) {
  return field.is_repeated() && field.cpp_type() == FieldDescriptor::CPPTYPE_STRING;
}

void ReadField(const Statement& row, int column, const FieldDescriptor* field, Message* message) {
  const Reflection& reflection = *message->GetReflection();
  if (IsLines(*field)) {
    for (std::string& entry : SplitLines(row.Text(column)))
      reflection.AddString(message, field, std::move(entry));
    return;
  }
  if (field->has_presence() && row.IsNull(column)) return;
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_STRING:
      return reflection.SetString(message, field, row.Text(column));
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return reflection.SetDouble(message, field, row.Double(column));
    case FieldDescriptor::CPPTYPE_BOOL:
      return reflection.SetBool(message, field, row.Int(column) != 0);
    case FieldDescriptor::CPPTYPE_ENUM:
      return reflection.SetEnumValue(message, field, static_cast<int>(row.Int(column)));
    case FieldDescriptor::CPPTYPE_INT32:
      return reflection.SetInt32(message, field, static_cast<int32_t>(row.Int(column)));
    case FieldDescriptor::CPPTYPE_INT64:
      return reflection.SetInt64(message, field, row.Int(column));
    default:
      return;
  }
}

}  // namespace

MessageColumns::MessageColumns(const google::protobuf::Descriptor& type, std::vector<std::string> names)
    : type_(type), names_(std::move(names)) {
  for (const std::string& name : names_) fields_.push_back(type.FindFieldByName(name));
}

std::string MessageColumns::Names(const std::string& prefix) const {
  return absl::StrJoin(names_, ", ", [&prefix](std::string* out, const std::string& name) {
    absl::StrAppend(out, prefix, name);
  });
}

absl::Status MessageColumns::Read(const Statement& row, int first, Message* message) const {
  const auto extra = std::find(names_.begin(), names_.end(), kExtra);
  if (extra != names_.end() &&
      !message->ParseFromString(row.Text(first + static_cast<int>(extra - names_.begin())))) {
    return absl::DataLossError(
        absl::StrCat("a stored ", type_.name(), " cannot be read: the file is damaged"));
  }
  for (const FieldDescriptor* field : fields_) {
    if (field != nullptr) ReadField(row, first, field, message);
    ++first;
  }
  return absl::OkStatus();
}

std::string JoinLines(const std::vector<std::string>& entries) {
  return absl::StrJoin(entries, "\n", [](std::string* out, const std::string& entry) {
    out->append(absl::Utf8SafeCEscape(entry));
  });
}

std::vector<std::string> SplitLines(const std::string& text) {
  std::vector<std::string> entries;
  for (const absl::string_view line : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    std::string& entry = entries.emplace_back();
    if (!absl::CUnescape(line, &entry)) entry = std::string(line);
  }
  return entries;
}

}  // namespace diopi::server
