// Makes the schema of the JSON API's answers and the page's types from the declarations of the messages,
// comments included. usage: message_types DESCRIPTORS SCHEMA TYPES; DESCRIPTORS is protoc's, because compiled
// descriptors have no comments. Files that would not change are left alone.
#include <google/protobuf/descriptor.pb.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "proto/enum_name.h"
#include "reports/render/message_json.h"

namespace diopi::reports {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::EnumDescriptor;
using google::protobuf::FieldDescriptor;
using v1::JsonForm;

constexpr char kFigure[] = "A measurement; null: not measured. 0 is a measured 0.";
constexpr char kTime[] = "RFC 3339, UTC.";

// A declaration's comment on one line: the comment after it, or the one before.
template <typename Declared>
std::string CommentOf(const Declared& declared) {
  google::protobuf::SourceLocation location;
  if (!declared.GetSourceLocation(&location)) return "";
  std::string text =
      location.trailing_comments.empty() ? location.leading_comments : location.trailing_comments;
  for (char& c : text) c = c == '\n' ? ' ' : c;
  absl::RemoveExtraAsciiWhitespace(&text);
  return text;
}

// "RunProfileWaiver" for RunProfile.Waiver; an enum Code has the name of a message that only holds it.
template <typename Type>
std::string NameOf(const Type& type) {
  if (type.containing_type() == nullptr) return type.name();
  const bool holds = type.name() == "Code" && type.containing_type()->field_count() == 0;
  return type.containing_type()->name() + (holds ? "" : type.name());
}

std::vector<std::string> ValuesOf(const EnumDescriptor& type) {
  std::vector<std::string> names;
  for (int i = 0; i < type.value_count(); ++i) {
    if (const std::string name = EnumName(*type.value(i)); name != "unspecified") names.push_back(name);
  }
  return names;
}

bool IsAnswer(const Descriptor& message) {
  return absl::EndsWith(message.file()->name(), "answers.proto");
}

// Whether the field's value, or an element of it, may be null.
bool MayBeNull(const FieldDescriptor& field) {
  const JsonForm::Code form = FormOf(field);
  if (field.is_repeated()) return form == JsonForm::NULLABLE;
  if (form == JsonForm::LEFT_OUT) return false;
  if (field.cpp_type() == FieldDescriptor::CPPTYPE_DOUBLE && form != JsonForm::NUMBER)
    return false;  // Figure
  return IsAnswer(*field.containing_type()) ? field.has_optional_keyword() : field.has_presence();
}

// The types that a message uses, each once and after those that it needs.
struct Types {
  std::vector<const EnumDescriptor*> enums;
  std::vector<const Descriptor*> messages;
  std::vector<const Descriptor*> brief;

  void Add(const Descriptor* message) {
    if (std::find(messages.begin(), messages.end(), message) != messages.end()) return;
    for (const FieldDescriptor* field : FieldsOf(*message)) {
      const JsonForm::Code form = FormOf(*field);
      if (form == JsonForm::HIDDEN) continue;
      if (field->enum_type() != nullptr) Add(field->enum_type());
      const Descriptor* type = field->is_map() ? nullptr : field->message_type();
      if (type != nullptr && type != message) Add(type);  // findings have findings as parts
      if (form == JsonForm::BRIEF && std::find(brief.begin(), brief.end(), type) == brief.end())
        brief.push_back(type);
    }
    messages.push_back(message);
  }
  void Add(const EnumDescriptor* type) {
    if (std::find(enums.begin(), enums.end(), type) == enums.end()) enums.push_back(type);
  }
};

Json Reference(const std::string& name) {
  return {{"$ref", "#/$defs/" + name}};
}

Json SchemaOf(const FieldDescriptor& field);

Json RowSchema(const Descriptor& message) {
  Json items = Json::array();
  for (const FieldDescriptor* field : FieldsOf(message)) items.push_back(SchemaOf(*field));
  const size_t size = items.size();
  return {{"type", "array"}, {"prefixItems", std::move(items)}, {"items", false}, {"minItems", size}};
}

Json TextSchema(JsonForm::Code form, bool null) {
  if (form == JsonForm::TIME) return Reference("Time");
  if (form == JsonForm::HEX) return {{"type", "string"}, {"pattern", "^[0-9a-f]{8}$"}};
  if (form == JsonForm::UNNAMED || form == JsonForm::LEFT_OUT || null)
    return {{"type", "string"}, {"minLength", 1}};
  return {{"type", "string"}};
}

Json MessageSchema(const FieldDescriptor& field) {
  const Descriptor& type = *field.message_type();
  switch (FormOf(field)) {
    case JsonForm::BRIEF:
      return Reference("Brief" + NameOf(type));
    case JsonForm::ROW:
      return RowSchema(type);
    case JsonForm::LIST:
      return SchemaOf(*type.field(0));
    default:
      return Reference(NameOf(type));
  }
}

Json SchemaOfValue(const FieldDescriptor& field) {
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_STRING:
      return TextSchema(FormOf(field), MayBeNull(field));
    case FieldDescriptor::CPPTYPE_DOUBLE:
    case FieldDescriptor::CPPTYPE_FLOAT:
      return FormOf(field) == JsonForm::NUMBER ? Json{{"type", "number"}} : Reference("Figure");
    case FieldDescriptor::CPPTYPE_BOOL:
      return {{"type", "boolean"}};
    case FieldDescriptor::CPPTYPE_UINT64:
      return {{"type", "string"}, {"pattern", "^[0-9]+$"}};
    case FieldDescriptor::CPPTYPE_ENUM:
      return Reference(NameOf(*field.enum_type()));
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return MessageSchema(field);
    default:
      break;
  }
  const bool negative = !IsAnswer(*field.containing_type()) || field.type() == FieldDescriptor::TYPE_SINT32 ||
                        field.type() == FieldDescriptor::TYPE_SINT64;
  return negative ? Json{{"type", "integer"}} : Json{{"type", "integer"}, {"minimum", 0}};
}

Json ObjectSchema(const Descriptor& entry) {
  Json schema = {{"type", "object"}, {"additionalProperties", SchemaOfValue(*entry.field(1))}};
  if (entry.field(0)->enum_type() != nullptr) schema["propertyNames"] = SchemaOfValue(*entry.field(0));
  return schema;
}

Json SchemaOf(const FieldDescriptor& field) {
  Json schema;
  if (field.is_map() || FormOf(field) == JsonForm::OBJECT) {
    schema = ObjectSchema(*field.message_type());
  } else {
    schema = SchemaOfValue(field);
    if (MayBeNull(field)) schema = {{"anyOf", {std::move(schema), {{"type", "null"}}}}};
    if (field.is_repeated()) schema = {{"type", "array"}, {"items", std::move(schema)}};
  }
  if (const std::string comment = CommentOf(field); !comment.empty()) schema["description"] = comment;
  return schema;
}

// The members of an object, those of messages that are written in it among them.
struct Members {
  Json required = Json::array();
  Json properties = Json::object();
  Json together = Json::object();  // all of them or none

  void Add(const Descriptor& message, bool certain) {
    for (const FieldDescriptor* field : FieldsOf(message)) {
      const JsonForm::Code form = FormOf(*field);
      if (form == JsonForm::HIDDEN) continue;
      if (form == JsonForm::INLINE || form == JsonForm::MAYBE_INLINE) {
        const Descriptor& inner = *field->message_type();
        Add(inner, form == JsonForm::INLINE);
        if (form == JsonForm::INLINE) continue;
        for (const FieldDescriptor* member : FieldsOf(inner))
          together[inner.field(0)->name()].push_back(member->name());
        continue;
      }
      if (certain && form != JsonForm::LEFT_OUT) required.push_back(field->name());
      properties[field->name()] = SchemaOf(*field);
    }
  }
};

Json SchemaOf(const Descriptor& message) {
  Members members;
  members.Add(message, /*certain=*/true);
  Json schema = {{"type", "object"},
                 {"description", CommentOf(message)},
                 {"required", std::move(members.required)},
                 {"properties", std::move(members.properties)}};
  if (!members.together.empty()) schema["dependentRequired"] = std::move(members.together);
  return schema;
}

// A message without its empty fields; its first field is never empty.
Json BriefSchema(const Descriptor& message) {
  Json properties = Json::object();
  for (const FieldDescriptor* field : FieldsOf(message)) {
    Json value =
        field->message_type() == &message ? Reference("Brief" + NameOf(message)) : SchemaOfValue(*field);
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_STRING) value["minLength"] = 1;
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_BOOL) value = {{"const", true}};
    if (field->is_repeated()) value = {{"type", "array"}, {"items", std::move(value)}, {"minItems", 1}};
    properties[field->name()] = std::move(value);
  }
  return {{"type", "object"},
          {"description", absl::StrCat("Of ", NameOf(message), ", the fields that are not empty.")},
          {"required", {message.field(0)->name()}},
          {"properties", std::move(properties)}};
}

std::string Schema(const Types& types) {
  Json defs = {{"Figure",
                {{"description", kFigure},
                 {"anyOf", {{{"type", "number"}}, {{"enum", {"Infinity", "-Infinity", nullptr}}}}}}},
               {"Time",
                {{"description", kTime},
                 {"type", "string"},
                 {"pattern", "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}Z$"}}}};
  Json answers = Json::array();
  for (const EnumDescriptor* type : types.enums) defs[NameOf(*type)] = {{"enum", ValuesOf(*type)}};
  for (const Descriptor* message : types.brief) defs["Brief" + NameOf(*message)] = BriefSchema(*message);
  for (const Descriptor* message : types.messages) {
    defs[NameOf(*message)] = SchemaOf(*message);
    if (absl::StartsWith(CommentOf(*message), "/") || message->name() == "ErrorPage")
      answers.push_back(Reference(NameOf(*message)));
  }
  const Json schema = {
      {"$schema", "https://json-schema.org/draft/2020-12/schema"},
      {"title", "JSON API of diopi-server, version 1"},
      {"description", "Made from proto/diopi/v1. Fields may be added; server/http/API.md has the addresses."},
      {"anyOf", std::move(answers)},
      {"$defs", std::move(defs)}};
  return schema.dump(1) + "\n";
}

std::string TypeOf(const FieldDescriptor& field);

std::string ScriptOfValue(const FieldDescriptor& field) {
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_STRING:
    case FieldDescriptor::CPPTYPE_UINT64:
      return "string";
    case FieldDescriptor::CPPTYPE_DOUBLE:
    case FieldDescriptor::CPPTYPE_FLOAT:
      return FormOf(field) == JsonForm::NUMBER ? "number" : "Figure";
    case FieldDescriptor::CPPTYPE_BOOL:
      return "boolean";
    case FieldDescriptor::CPPTYPE_ENUM:
      return NameOf(*field.enum_type());
    case FieldDescriptor::CPPTYPE_MESSAGE:
      break;
    default:
      return "number";
  }
  const Descriptor& type = *field.message_type();
  if (FormOf(field) == JsonForm::LIST) return TypeOf(*type.field(0));
  if (FormOf(field) == JsonForm::ROW) {
    const auto member = [](std::string* out, const FieldDescriptor* one) { *out += TypeOf(*one); };
    return absl::StrCat("[", absl::StrJoin(FieldsOf(type), ", ", member), "]");
  }
  return (FormOf(field) == JsonForm::BRIEF ? "Brief" : "") + NameOf(type);
}

std::string TypeOf(const FieldDescriptor& field) {
  if (field.is_map() || FormOf(field) == JsonForm::OBJECT) {
    const FieldDescriptor& key = *field.message_type()->field(0);
    const std::string record = absl::StrCat("Record<", ScriptOfValue(key), ", ",
                                            ScriptOfValue(*field.message_type()->field(1)), ">");
    return key.enum_type() != nullptr ? absl::StrCat("Partial<", record, ">") : record;
  }
  const std::string type = ScriptOfValue(field) + (MayBeNull(field) ? " | null" : "");
  if (!field.is_repeated()) return type;
  return (MayBeNull(field) ? absl::StrCat("(", type, ")") : type) + "[]";
}

std::string Interface(const Descriptor& message) {
  std::vector<std::string> bases;
  std::string members;
  for (const FieldDescriptor* field : FieldsOf(message)) {
    const JsonForm::Code form = FormOf(*field);
    if (form == JsonForm::HIDDEN) continue;
    const std::string inner = field->message_type() != nullptr ? NameOf(*field->message_type()) : "";
    if (form == JsonForm::INLINE) bases.push_back(inner);
    if (form == JsonForm::MAYBE_INLINE) bases.push_back(absl::StrCat("Partial<", inner, ">"));
    if (form == JsonForm::INLINE || form == JsonForm::MAYBE_INLINE) continue;
    const std::string about = CommentOf(*field);
    absl::StrAppend(&members, "  ", field->name(), form == JsonForm::LEFT_OUT ? "?: " : ": ", TypeOf(*field),
                    about.empty() ? ";" : "; // ", about, "\n");
  }
  const std::string comment = CommentOf(message);
  return absl::StrCat(comment.empty() ? "" : "\n// ", comment, "\nexport interface ", NameOf(message),
                      bases.empty() ? "" : " extends ", absl::StrJoin(bases, ", "), " {\n", members, "}\n");
}

std::string BriefInterface(const Descriptor& message) {
  std::string out = absl::StrCat("\nexport interface Brief", NameOf(message), " {\n");
  for (const FieldDescriptor* field : FieldsOf(message)) {
    const bool own = field->message_type() == &message;
    absl::StrAppend(&out, "  ", field->name(), field->index() == 0 ? ": " : "?: ", own ? "Brief" : "",
                    ScriptOfValue(*field), field->is_repeated() ? "[]" : "",
                    field->index() == 0 ? ";\n" : " | null;\n");
  }
  return out + "}\n";
}

std::string TypeScript(const Types& types) {
  std::string out = absl::StrCat(
      "// The messages of diopi-conformance as JSON. Made from proto/diopi/v1 by message_types: do not "
      "edit.\n\n// ",
      kFigure, "\nexport type Figure = number | 'Infinity' | '-Infinity' | null;\n");
  const auto quoted = [](std::string* text, const std::string& name) {
    absl::StrAppend(text, "'", name, "'");
  };
  for (const EnumDescriptor* type : types.enums) {
    absl::StrAppend(&out, "\nexport type ", NameOf(*type), " = ",
                    absl::StrJoin(ValuesOf(*type), " | ", quoted), ";\n");
  }
  for (const Descriptor* message : types.brief) out += BriefInterface(*message);
  for (const Descriptor* message : types.messages) out += Interface(*message);
  return out;
}

bool Write(const std::string& path, const std::string& text) {
  std::ostringstream there;
  if (const std::ifstream in(path, std::ios::binary); in) there << in.rdbuf();
  if (there.str() == text) return true;
  return static_cast<bool>(std::ofstream(path, std::ios::binary) << text);
}

int Make(const std::string& descriptors, const std::string& schema, const std::string& types_path) {
  std::ifstream in(descriptors, std::ios::binary);
  google::protobuf::FileDescriptorSet files;
  if (!files.ParseFromIstream(&in)) {
    std::cerr << "message_types: cannot read " << descriptors << "\n";
    return 2;
  }
  google::protobuf::DescriptorPool pool;
  Types types;
  for (const google::protobuf::FileDescriptorProto& proto : files.file()) {
    const google::protobuf::FileDescriptor* file = pool.BuildFile(proto);
    for (int i = 0; i < file->message_type_count(); ++i) {
      const Descriptor* message = file->message_type(i);
      if (IsAnswer(*message)) types.Add(message);
    }
  }
  return Write(schema, Schema(types)) && Write(types_path, TypeScript(types)) ? 0 : 4;
}

}  // namespace
}  // namespace diopi::reports

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: message_types DESCRIPTORS SCHEMA TYPES\n";
    return 2;
  }
  return diopi::reports::Make(argv[1], argv[2], argv[3]);
}
