#include "server/store/message_columns.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace diopi::server {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

bool IsLines(const FieldDescriptor& field) {
  return field.is_repeated() && field.cpp_type() == FieldDescriptor::CPPTYPE_STRING;
}

bool IsExtra(const FieldDescriptor& field) {
  return field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE || (field.is_repeated() && !IsLines(field));
}

// "TEXT NOT NULL".
std::string TypeOf(const FieldDescriptor* field) {
  if (field == nullptr) return "BLOB NOT NULL";
  const bool real = field->cpp_type() == FieldDescriptor::CPPTYPE_DOUBLE;
  const bool text = field->cpp_type() == FieldDescriptor::CPPTYPE_STRING;
  return absl::StrCat(real   ? "REAL"
                      : text ? "TEXT"
                             : "INTEGER",
                      real || field->has_presence() ? "" : " NOT NULL");
}

std::string Lines(const Message& message, const FieldDescriptor* field) {
  const Reflection& reflection = *message.GetReflection();
  const int size = reflection.FieldSize(message, field);
  std::vector<std::string> entries;
  entries.reserve(static_cast<size_t>(size));
  for (int i = 0; i < size; ++i) entries.push_back(reflection.GetRepeatedString(message, field, i));
  return JoinLines(entries);
}

void BindField(const Message& message, const FieldDescriptor* field, int index, Statement* statement) {
  const Reflection& reflection = *message.GetReflection();
  if (IsLines(*field)) return statement->BindCopy(index, Lines(message, field));
  if (field->has_presence() && !reflection.HasField(message, field)) return statement->BindNull(index);
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_STRING: {
      std::string scratch;
      const std::string& text = reflection.GetStringReference(message, field, &scratch);
      return &text == &scratch ? statement->BindCopy(index, text) : statement->BindAt(index, text);
    }
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return statement->BindAt(index, reflection.GetDouble(message, field));
    case FieldDescriptor::CPPTYPE_BOOL:
      return statement->BindAt(index, reflection.GetBool(message, field));
    case FieldDescriptor::CPPTYPE_ENUM:
      return statement->BindAt(index, reflection.GetEnumValue(message, field));
    case FieldDescriptor::CPPTYPE_INT32:
      return statement->BindAt(index, reflection.GetInt32(message, field));
    case FieldDescriptor::CPPTYPE_INT64:
      return statement->BindAt(index, reflection.GetInt64(message, field));
    default:  // no stored message has another; the test that every field comes back would fail
      return statement->BindNull(index);
  }
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

MessageColumns::MessageColumns(const google::protobuf::Descriptor& type, const std::set<std::string>& without)
    : type_(type) {
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor* field = type.field(i);
    if (without.contains(field->name())) continue;
    (IsExtra(*field) ? extra_ : columns_).push_back(field);
  }
  if (!extra_.empty()) columns_.push_back(nullptr);
}

std::string MessageColumns::Definitions() const {
  return absl::StrJoin(columns_, ",\n", [](std::string* out, const FieldDescriptor* field) {
    absl::StrAppend(out, "  ", field == nullptr ? "extra" : field->name(), " ", TypeOf(field));
  });
}

std::string MessageColumns::Names(const std::string& prefix) const {
  return absl::StrJoin(columns_, ", ", [&prefix](std::string* out, const FieldDescriptor* field) {
    absl::StrAppend(out, prefix, field == nullptr ? "extra" : field->name());
  });
}

void MessageColumns::Bind(const Message& message, int first, Statement* statement) const {
  for (const FieldDescriptor* field : columns_) {
    if (field != nullptr) {
      BindField(message, field, first++, statement);
      continue;
    }
    const std::unique_ptr<Message> rest(message.New());
    rest->CopyFrom(message);
    for (const FieldDescriptor* column : columns_) {
      if (column != nullptr) rest->GetReflection()->ClearField(rest.get(), column);
    }
    statement->BindCopy(first++, rest->SerializeAsString());
  }
}

absl::Status MessageColumns::Read(const Statement& row, int first, Message* message) const {
  const int extra = first + size() - 1;
  if (!extra_.empty() && !message->ParseFromString(row.Text(extra))) {
    return absl::DataLossError(
        absl::StrCat("a stored ", type_.name(), " cannot be read: the file is damaged"));
  }
  for (const FieldDescriptor* field : columns_) {
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
