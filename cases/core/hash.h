// xxHash, for content hashes and checksums. The only place that knows the library.
#ifndef CASES_CORE_HASH_H_
#define CASES_CORE_HASH_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace diopi {

uint64_t Xxh64(std::string_view data);
std::string Xxh64Hex(std::string_view data);   // 16 hex digits
std::string Xxh128Hex(std::string_view data);  // 32 hex digits

}  // namespace diopi

#endif  // CASES_CORE_HASH_H_
