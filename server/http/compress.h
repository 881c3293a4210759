// gzip, for large answers.
#ifndef SERVER_HTTP_COMPRESS_H_
#define SERVER_HTTP_COMPRESS_H_

#include <string>
#include <string_view>

namespace diopi::server {

// RFC 1952. `level` 1 (quick) to 9 (small). Empty when zlib has no memory.
std::string Gzip(std::string_view data, int level);

// The text that Gzip made this of, or another program. Empty when `data` is not gzip or is damaged.
std::string Decompress(std::string_view data);

// Whether a request's Accept-Encoding allows gzip (RFC 9110, section 12.5.3): "gzip, br", "*", not
// "gzip;q=0".
bool AcceptsGzip(std::string_view accept_encoding);

}  // namespace diopi::server

#endif  // SERVER_HTTP_COMPRESS_H_
