#include "cases/core/hash.h"

#include <xxhash.h>

#include "absl/strings/str_format.h"

namespace diopi {

uint64_t Xxh64(std::string_view data) {
  return XXH64(data.data(), data.size(), 0);
}

std::string Xxh64Hex(std::string_view data) {
  return absl::StrFormat("%016x", Xxh64(data));
}

std::string Xxh128Hex(std::string_view data) {
  const XXH128_hash_t hash = XXH3_128bits(data.data(), data.size());
  return absl::StrFormat("%016x%016x", hash.high64, hash.low64);
}

}  // namespace diopi
