// The messages in JSON reports and in the API are declared once, in proto. This test generates their schema
// and types from that declaration, including comments, and compares them with the files in the tree.
// DIOPI_UPDATE_GOLDEN=1 rewrites the files.
#include <google/protobuf/descriptor.pb.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "build_paths.h"
#include "diopi/v1/comparison.pb.h"
#include "diopi/v1/run.pb.h"
#include "diopi/v1/verdict.pb.h"
#include "proto/enum_name.h"
#include "reports/render/message_json.h"

namespace diopi::reports {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::EnumDescriptor;
using google::protobuf::FieldDescriptor;

constexpr char kFigure[] = "A measurement; null: not measured. 0 is a measured 0.";

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

// The types that a message uses, each once and after those that it needs.
struct Types {
  std::vector<const EnumDescriptor*> enums;
  std::vector<const Descriptor*> messages;

  void Add(const Descriptor* message) {
    if (std::find(messages.begin(), messages.end(), message) != messages.end()) return;
    for (int i = 0; i < message->field_count(); ++i) {
      const FieldDescriptor* field = message->field(i);
      if (field->enum_type() != nullptr) Add(field->enum_type());
      const Descriptor* type = field->is_map() ? nullptr : field->message_type();
      if (type != nullptr && type != message) Add(type);  // findings have findings as parts
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

Json SchemaOfValue(const FieldDescriptor& field) {
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_STRING:
      return {{"type", "string"}};
    case FieldDescriptor::CPPTYPE_DOUBLE:
    case FieldDescriptor::CPPTYPE_FLOAT:
      return Reference("Figure");
    case FieldDescriptor::CPPTYPE_BOOL:
      return {{"type", "boolean"}};
    case FieldDescriptor::CPPTYPE_UINT64:
      return {{"type", "string"}, {"pattern", "^[0-9]+$"}};
    case FieldDescriptor::CPPTYPE_ENUM:
      return Reference(NameOf(*field.enum_type()));
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return Reference(NameOf(*field.message_type()));
    default:
      return {{"type", "integer"}};
  }
}

Json SchemaOf(const FieldDescriptor& field) {
  Json schema;
  if (field.is_map()) {
    schema = {{"type", "object"}, {"additionalProperties", SchemaOfValue(*field.message_type()->field(1))}};
  } else if (field.is_repeated()) {
    schema = {{"type", "array"}, {"items", SchemaOfValue(field)}};
  } else if (field.has_presence() && field.cpp_type() != FieldDescriptor::CPPTYPE_DOUBLE) {
    schema = {{"anyOf", {SchemaOfValue(field), {{"type", "null"}}}}};
  } else {
    schema = SchemaOfValue(field);
  }
  if (const std::string comment = CommentOf(field); !comment.empty()) schema["description"] = comment;
  return schema;
}

Json SchemaOf(const Descriptor& message) {
  Json required = Json::array(), properties = Json::object();
  for (int i = 0; i < message.field_count(); ++i) {
    required.push_back(message.field(i)->name());
    properties[message.field(i)->name()] = SchemaOf(*message.field(i));
  }
  return {{"type", "object"},
          {"description", CommentOf(message)},
          {"required", std::move(required)},
          {"properties", std::move(properties)}};
}

std::string Schema(const Types& types) {
  Json defs = {{"Figure",
                {{"description", kFigure},
                 {"anyOf", {{{"type", "number"}}, {{"enum", {"Infinity", "-Infinity", nullptr}}}}}}}};
  for (const EnumDescriptor* type : types.enums) defs[NameOf(*type)] = {{"enum", ValuesOf(*type)}};
  for (const Descriptor* message : types.messages) defs[NameOf(*message)] = SchemaOf(*message);
  const Json schema = {
      {"$schema", "https://json-schema.org/draft/2020-12/schema"},
      {"title", "Messages of diopi-conformance as JSON"},
      {"description", "Made from proto/diopi/v1 by reports/render/message_types_test.cc: do not edit."},
      {"$defs", std::move(defs)}};
  return schema.dump(1) + "\n";
}

std::string TypeOfValue(const FieldDescriptor& field) {
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_STRING:
    case FieldDescriptor::CPPTYPE_UINT64:
      return "string";
    case FieldDescriptor::CPPTYPE_DOUBLE:
    case FieldDescriptor::CPPTYPE_FLOAT:
      return "Figure";
    case FieldDescriptor::CPPTYPE_BOOL:
      return "boolean";
    case FieldDescriptor::CPPTYPE_ENUM:
      return NameOf(*field.enum_type());
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return NameOf(*field.message_type());
    default:
      return "number";
  }
}

std::string TypeOf(const FieldDescriptor& field) {
  if (field.is_map())
    return absl::StrCat("Record<string, ", TypeOfValue(*field.message_type()->field(1)), ">");
  if (field.is_repeated()) return TypeOfValue(field) + "[]";
  const bool null = field.has_presence() && field.cpp_type() != FieldDescriptor::CPPTYPE_DOUBLE;
  return TypeOfValue(field) + (null ? " | null" : "");
}

std::string TypeScript(const Types& types) {
  std::string out = absl::StrCat(
      "// Messages of diopi-conformance as JSON. Made from proto/diopi/v1 by "
      "reports/render/message_types_test.cc: do not "
      "edit.\n\n// ",
      kFigure, "\nexport type Figure = number | 'Infinity' | '-Infinity' | null;\n");
  const auto quoted = [](std::string* text, const std::string& name) {
    absl::StrAppend(text, "'", name, "'");
  };
  for (const EnumDescriptor* type : types.enums) {
    absl::StrAppend(&out, "\nexport type ", NameOf(*type), " = ",
                    absl::StrJoin(ValuesOf(*type), " | ", quoted), ";\n");
  }
  for (const Descriptor* message : types.messages) {
    const std::string comment = CommentOf(*message);
    absl::StrAppend(&out, comment.empty() ? "" : "\n// ", comment, "\nexport interface ", NameOf(*message),
                    " {\n");
    for (int i = 0; i < message->field_count(); ++i) {
      const FieldDescriptor& field = *message->field(i);
      const std::string about = CommentOf(field);
      absl::StrAppend(&out, "  ", field.name(), ": ", TypeOf(field), about.empty() ? ";" : "; // ", about,
                      "\n");
    }
    out += "}\n";
  }
  return out;
}

void ExpectFile(const std::string& name, const std::string& made) {
  const std::string path = std::string(DIOPI_SOURCE_DIR) + "/" + name;
  if (std::getenv("DIOPI_UPDATE_GOLDEN") != nullptr) std::ofstream(path, std::ios::binary) << made;
  std::ifstream in(path, std::ios::binary);
  ASSERT_TRUE(in) << path;
  std::ostringstream there;
  there << in.rdbuf();
  EXPECT_EQ(there.str(), made) << path
                               << " is not what the .proto files declare: DIOPI_UPDATE_GOLDEN=1 makes it so";
}

TEST(MessageTypes, SchemaAndTypeScriptFollowTheDeclaration) {
  // Descriptors compiled into programs have no comments: protoc wrote this file for the test.
  std::ifstream in(std::string(DIOPI_BINARY_DIR) + "/generated/messages.descriptors", std::ios::binary);
  google::protobuf::FileDescriptorSet files;
  ASSERT_TRUE(files.ParseFromIstream(&in));
  google::protobuf::DescriptorPool pool;
  for (const google::protobuf::FileDescriptorProto& file : files.file())
    ASSERT_NE(pool.BuildFile(file), nullptr);
  Types types;
  for (const Descriptor* built :
       {v1::Verdict::descriptor(), v1::RunInfo::descriptor(), v1::RunComparison::descriptor()})
    types.Add(pool.FindMessageTypeByName(built->full_name()));
  ExpectFile("reports/render/schema/messages.schema.json", Schema(types));
  ExpectFile("reports/web/src/api/messages.ts", TypeScript(types));
}

// Special values: not measured, infinities, numbers that a double cannot hold, bytes.
TEST(MessageJson, EveryFieldIsThere) {
  v1::OutputStats stats;
  stats.set_key("\xff");
  stats.set_max_ulp(std::numeric_limits<double>::quiet_NaN());
  stats.set_bias(-std::numeric_limits<double>::infinity());
  stats.set_elements(7);
  stats.set_dtype(v1::Dtype::bfloat16);
  Json json = MessageJson(stats);
  EXPECT_EQ(json.size(), static_cast<size_t>(v1::OutputStats::descriptor()->field_count()));
  EXPECT_EQ(json.at("max_ulp"), nullptr);
  EXPECT_EQ(json.at("bias"), "-Infinity");
  EXPECT_EQ(json.at("elements"), 7);
  EXPECT_EQ(json.at("dtype"), "bfloat16");
  EXPECT_EQ(json.at("first"), Json::array());
  v1::RunInfo run;
  run.set_state(v1::RUN_STATE_STALLED);
  run.mutable_options()->set_shuffle_seed(std::numeric_limits<uint64_t>::max());
  (*run.mutable_outcomes())["pass"] = 3;
  json = MessageJson(run);
  EXPECT_EQ(json.at("state"), "stalled");
  EXPECT_EQ(json.at("options").at("shuffle_seed"), "18446744073709551615");
  EXPECT_EQ(json.at("options").at("profile"), nullptr);
  EXPECT_EQ(json.at("outcomes"), Json({{"pass", 3}}));
  v1::Verdict verdict;
  EXPECT_EQ(MessageJson(verdict).at("call_us"), nullptr);
  verdict.set_call_us(0.5);
  EXPECT_EQ(MessageJson(verdict).at("call_us"), 0.5);
}

}  // namespace
}  // namespace diopi::reports
