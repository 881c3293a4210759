// reports/web's one file, or nothing (cmake/Web.cmake).
#ifndef SERVER_HTTP_EMBEDDED_PAGE_H_
#define SERVER_HTTP_EMBEDDED_PAGE_H_

#include <string_view>

namespace diopi::server {

std::string_view EmbeddedPage();

}  // namespace diopi::server

#endif  // SERVER_HTTP_EMBEDDED_PAGE_H_
