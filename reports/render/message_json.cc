// No message has code of its own here. JSON, the schema and the page's types follow from one declaration, so
// a field that is added appears in all of them, and none can differ from the others.
#include "reports/render/message_json.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "proto/enum_name.h"

namespace diopi::reports {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using v1::JsonForm;

void AddMembers(const Message& message, Json* json);

std::string EnumText(const FieldDescriptor* field, int value) {
  const auto* known = field->enum_type()->FindValueByNumber(value);
  return known == nullptr ? "unspecified" : EnumName(*known);  // of a newer program
}

// The members that are not empty; in a message of its own type, too.
Json BriefJson(const Message& message) {
  const google::protobuf::Reflection& fields = *message.GetReflection();
  Json json;
  Json whole = MessageJson(message);
  for (const FieldDescriptor* field : FieldsOf(*message.GetDescriptor())) {
    Json& value = whole[field->name()];
    if (field->message_type() == message.GetDescriptor() && field->is_repeated()) {
      for (int i = 0; i < fields.FieldSize(message, field); ++i)
        value[static_cast<size_t>(i)] = BriefJson(fields.GetRepeatedMessage(message, field, i));
    }
    const bool empty = value.is_null() || value == "" || value == false || value == Json::array();
    if (!empty) json[field->name()] = std::move(value);
  }
  return json;
}

Json RowJson(const Message& message) {
  Json row = Json::array();
  Json members = MessageJson(message);
  for (auto& [name, value] : members.items()) row.push_back(std::move(value));
  return row;
}

Json SubmessageJson(const Message& message, JsonForm::Code form) {
  switch (form) {
    case JsonForm::BRIEF:
      return message.ByteSizeLong() == 0 ? Json(nullptr) : BriefJson(message);
    case JsonForm::NULLABLE:
      return message.ByteSizeLong() == 0 ? Json(nullptr) : MessageJson(message);
    case JsonForm::ROW:
      return RowJson(message);
    case JsonForm::LIST: {
      Json json = MessageJson(message);
      return std::move(json.front());
    }
    default:
      return MessageJson(message);
  }
}

// `index`: for a repeated field; -1 otherwise. Reflection has a function for each type in both cases.
Json ValueJson(const Message& message, const FieldDescriptor* field, int index) {
  const google::protobuf::Reflection& fields = *message.GetReflection();
  const bool one = index < 0;
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_STRING: {
      std::string text =
          one ? fields.GetString(message, field) : fields.GetRepeatedString(message, field, index);
      if (text.empty() && FormOf(*field) == JsonForm::UNNAMED) return "unnamed";
      return text.empty() && field->has_presence() ? Json(nullptr) : Json(std::move(text));
    }
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return JsonNumber(one ? fields.GetDouble(message, field)
                            : fields.GetRepeatedDouble(message, field, index));
    case FieldDescriptor::CPPTYPE_FLOAT:
      return JsonNumber(one ? fields.GetFloat(message, field)
                            : fields.GetRepeatedFloat(message, field, index));
    case FieldDescriptor::CPPTYPE_BOOL:
      return one ? fields.GetBool(message, field) : fields.GetRepeatedBool(message, field, index);
    case FieldDescriptor::CPPTYPE_INT32:
      return one ? fields.GetInt32(message, field) : fields.GetRepeatedInt32(message, field, index);
    case FieldDescriptor::CPPTYPE_INT64:
      return one ? fields.GetInt64(message, field) : fields.GetRepeatedInt64(message, field, index);
    case FieldDescriptor::CPPTYPE_UINT32:
      return one ? fields.GetUInt32(message, field) : fields.GetRepeatedUInt32(message, field, index);
    case FieldDescriptor::CPPTYPE_UINT64:
      return std::to_string(one ? fields.GetUInt64(message, field)
                                : fields.GetRepeatedUInt64(message, field, index));
    case FieldDescriptor::CPPTYPE_ENUM:
      return EnumText(field, one ? fields.GetEnumValue(message, field)
                                 : fields.GetRepeatedEnumValue(message, field, index));
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return SubmessageJson(
          one ? fields.GetMessage(message, field) : fields.GetRepeatedMessage(message, field, index),
          FormOf(*field));
  }
  return nullptr;
}

// Messages {key, value} as the members of one object; a map's by name, because it has no order.
Json ObjectJson(const Message& message, const FieldDescriptor* field) {
  const google::protobuf::Reflection& fields = *message.GetReflection();
  std::vector<std::pair<std::string, Json>> members;
  for (int i = 0; i < fields.FieldSize(message, field); ++i) {
    const Message& entry = fields.GetRepeatedMessage(message, field, i);
    const google::protobuf::Descriptor& type = *entry.GetDescriptor();
    members.emplace_back(ValueJson(entry, type.field(0), -1).get<std::string>(),
                         ValueJson(entry, type.field(1), -1));
  }
  if (field->is_map())
    std::sort(members.begin(), members.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  Json json = Json::object();
  for (auto& [name, value] : members) json[name] = std::move(value);
  return json;
}

Json FieldJson(const Message& message, const FieldDescriptor* field) {
  const google::protobuf::Reflection& fields = *message.GetReflection();
  if (field->is_map() || FormOf(*field) == JsonForm::OBJECT) return ObjectJson(message, field);
  if (field->is_repeated()) {
    Json json = Json::array();
    for (int i = 0; i < fields.FieldSize(message, field); ++i) json.push_back(ValueJson(message, field, i));
    return json;
  }
  if (field->has_presence() && !fields.HasField(message, field)) return nullptr;
  return ValueJson(message, field, -1);
}

void AddMembers(const Message& message, Json* json) {
  const google::protobuf::Reflection& fields = *message.GetReflection();
  for (const FieldDescriptor* field : FieldsOf(*message.GetDescriptor())) {
    const JsonForm::Code form = FormOf(*field);
    if (form == JsonForm::INLINE || (form == JsonForm::MAYBE_INLINE && fields.HasField(message, field))) {
      AddMembers(fields.GetMessage(message, field), json);
    } else if (form != JsonForm::HIDDEN && form != JsonForm::MAYBE_INLINE &&
               (form != JsonForm::LEFT_OUT || fields.HasField(message, field))) {
      (*json)[field->name()] = FieldJson(message, field);
    }
  }
}

}  // namespace

JsonForm::Code FormOf(const FieldDescriptor& field) {
  return field.options().GetExtension(v1::json);
}

std::vector<const FieldDescriptor*> FieldsOf(const google::protobuf::Descriptor& message) {
  std::vector<const FieldDescriptor*> fields;
  for (int i = 0; i < message.field_count(); ++i) fields.push_back(message.field(i));
  return fields;
}

Json JsonNumber(double value) {
  if (std::isnan(value)) return nullptr;
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return value;
}

Json MessageJson(const Message& message) {
  Json json = Json::object();
  AddMembers(message, &json);
  return json;
}

}  // namespace diopi::reports
