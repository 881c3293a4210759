// api_schema.json and reports/render/schema/messages.schema.json, embedded.
#ifndef SERVER_HTTP_API_SCHEMA_H_
#define SERVER_HTTP_API_SCHEMA_H_

#include <string_view>

namespace diopi::server {

std::string_view ApiSchema();
std::string_view MessageSchema();

}  // namespace diopi::server

#endif  // SERVER_HTTP_API_SCHEMA_H_
