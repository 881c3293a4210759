// Writes messages as JSON by their declaration: one member per field, under the field's name. Reports and the
// dashboards' API use it; the schema that /api/v1/schema serves and the page's types are made from the same
// declaration (message_types.cc).
//
//   not set, where absence can be told   null; so are an optional text that is empty
//   NaN, "not measured"                  null
//   infinities                           "Infinity", "-Infinity", which JavaScript and Python read
//   enums                                their names (proto/enum_name.h)
//   uint64                               a string of digits: it has more than a double holds
//   maps                                 objects, sorted by name
//   other forms                          as the field's option says (proto/diopi/v1/json_form.proto)
#ifndef REPORTS_RENDER_MESSAGE_JSON_H_
#define REPORTS_RENDER_MESSAGE_JSON_H_

#include <google/protobuf/message.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "diopi/v1/json_form.pb.h"

namespace diopi::reports {

using Json = nlohmann::ordered_json;

Json JsonNumber(double value);
Json MessageJson(const google::protobuf::Message& message);

v1::JsonForm::Code FormOf(const google::protobuf::FieldDescriptor& field);
// A message's fields in the order of their declaration.
std::vector<const google::protobuf::FieldDescriptor*> FieldsOf(const google::protobuf::Descriptor& message);

}  // namespace diopi::reports

#endif  // REPORTS_RENDER_MESSAGE_JSON_H_
