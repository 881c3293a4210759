// xxHash, for content hashes and checksums. The only place that knows the library.
#ifndef CASES_BASE_HASH_H_
#define CASES_BASE_HASH_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace diopi {

uint64_t Xxh64(std::string_view data);
// The same hash for data that comes in pieces.
class Xxh64Stream {
 public:
  Xxh64Stream();
  ~Xxh64Stream();
  Xxh64Stream(Xxh64Stream&& other) noexcept;
  Xxh64Stream& operator=(Xxh64Stream&& other) noexcept;

  void Reset();
  void Update(std::string_view data);
  uint64_t Digest() const;  // of everything since Reset

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::string Hex64(uint64_t hash);              // 16 hex digits
std::string Xxh64Hex(std::string_view data);   // 16 hex digits
std::string Xxh128Hex(std::string_view data);  // 32 hex digits

}  // namespace diopi

#endif  // CASES_BASE_HASH_H_
