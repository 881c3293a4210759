// The JSON schema of every answer, embedded (reports/render/message_types.cc).
#ifndef SERVER_HTTP_API_SCHEMA_H_
#define SERVER_HTTP_API_SCHEMA_H_

#include <string_view>

namespace diopi::server {

std::string_view ApiSchema();

}  // namespace diopi::server

#endif  // SERVER_HTTP_API_SCHEMA_H_
