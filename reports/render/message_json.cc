#include "reports/render/message_json.h"

#include <cmath>

#include "proto/enum_name.h"

namespace diopi::reports {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

// `index`: for a repeated field; -1 otherwise. Reflection has a function for each type in both cases.
Json ValueJson(const Message& message, const FieldDescriptor* field, int index) {
  const google::protobuf::Reflection& fields = *message.GetReflection();
  const bool one = index < 0;
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_STRING:
      return one ? fields.GetString(message, field) : fields.GetRepeatedString(message, field, index);
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
      return EnumName(one ? *fields.GetEnum(message, field) : *fields.GetRepeatedEnum(message, field, index));
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return MessageJson(one ? fields.GetMessage(message, field)
                             : fields.GetRepeatedMessage(message, field, index));
  }
  return nullptr;
}

Json FieldJson(const Message& message, const FieldDescriptor* field) {
  const google::protobuf::Reflection& fields = *message.GetReflection();
  if (!field->is_repeated()) {
    if (field->has_presence() && !fields.HasField(message, field)) return nullptr;
    return ValueJson(message, field, -1);
  }
  Json json = field->is_map() ? Json::object() : Json::array();
  for (int i = 0; i < fields.FieldSize(message, field); ++i) {
    Json value = ValueJson(message, field, i);
    if (field->is_map()) {
      json[value.at("key").get<std::string>()] = std::move(value.at("value"));
    } else {
      json.push_back(std::move(value));
    }
  }
  return json;
}

}  // namespace

Json JsonNumber(double value) {
  if (std::isnan(value)) return nullptr;
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return value;
}

Json MessageJson(const Message& message) {
  Json json = Json::object();
  const google::protobuf::Descriptor& type = *message.GetDescriptor();
  for (int i = 0; i < type.field_count(); ++i)
    json[type.field(i)->name()] = FieldJson(message, type.field(i));
  return json;
}

}  // namespace diopi::reports
