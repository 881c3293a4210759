#include "server/http/compress.h"

#include <zlib.h>

#include <algorithm>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"

namespace diopi::server {

std::string Gzip(std::string_view data, int level) {
  constexpr int kWindowBits = 15 + 16;  // makes zlib write gzip
  constexpr int kMemory = 8;            // its default
  z_stream stream{};
  if (deflateInit2(&stream, level, Z_DEFLATED, kWindowBits, kMemory, Z_DEFAULT_STRATEGY) != Z_OK) return {};
  std::string out(deflateBound(&stream, data.size()), '\0');
  // zlib only reads the bytes at next_in.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data()));
  stream.avail_in = static_cast<uInt>(data.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int code = deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return code == Z_STREAM_END ? out : std::string();
}

std::string Decompress(std::string_view data) {
  constexpr int kGzipOnly = 15 + 16;
  z_stream stream{};
  if (inflateInit2(&stream, kGzipOnly) != Z_OK) return {};
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data()));
  stream.avail_in = static_cast<uInt>(data.size());
  std::string out;
  int code = Z_OK;
  while (code == Z_OK) {
    const size_t done = out.size();
    out.resize(done + std::max<size_t>(size_t{1} << 14, data.size() * 2));
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + done);
    stream.avail_out = static_cast<uInt>(out.size() - done);
    code = inflate(&stream, Z_NO_FLUSH);
    out.resize(stream.total_out);
  }
  inflateEnd(&stream);
  return code == Z_STREAM_END ? out : std::string();
}

bool AcceptsGzip(std::string_view accept_encoding) {
  const std::string text =
      absl::AsciiStrToLower(absl::string_view(accept_encoding.data(), accept_encoding.size()));
  for (const absl::string_view entry : absl::StrSplit(text, ',')) {
    const std::vector<absl::string_view> parts = absl::StrSplit(entry, ';');
    const absl::string_view name = absl::StripAsciiWhitespace(parts[0]);
    if (name != "gzip" && name != "*") continue;
    double quality = 1;
    for (size_t i = 1; i < parts.size(); ++i) {
      absl::string_view parameter = absl::StripAsciiWhitespace(parts[i]);
      if (absl::StartsWith(parameter, "q=") && !absl::SimpleAtod(parameter.substr(2), &quality)) quality = 0;
    }
    return quality > 0;
  }
  return false;
}

}  // namespace diopi::server
