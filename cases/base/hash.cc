#include "cases/base/hash.h"

#define XXH_STATIC_LINKING_ONLY  // the size of its state
#include <xxhash.h>

#include "absl/strings/str_format.h"

namespace diopi {

uint64_t Xxh64(std::string_view data) {
  return XXH64(data.data(), data.size(), 0);
}

struct Xxh64Stream::State {
  XXH64_state_t xxh;
};

Xxh64Stream::Xxh64Stream() : state_(std::make_unique<State>()) {
  Reset();
}
Xxh64Stream::~Xxh64Stream() = default;
Xxh64Stream::Xxh64Stream(Xxh64Stream&& other) noexcept = default;
Xxh64Stream& Xxh64Stream::operator=(Xxh64Stream&& other) noexcept = default;

void Xxh64Stream::Reset() {
  XXH64_reset(&state_->xxh, 0);
}

void Xxh64Stream::Update(std::string_view data) {
  if (!data.empty()) XXH64_update(&state_->xxh, data.data(), data.size());
}

uint64_t Xxh64Stream::Digest() const {
  return XXH64_digest(&state_->xxh);
}

std::string Hex64(uint64_t hash) {
  return absl::StrFormat("%016x", hash);
}

std::string Xxh64Hex(std::string_view data) {
  return Hex64(Xxh64(data));
}

std::string Xxh128Hex(std::string_view data) {
  const XXH128_hash_t hash = XXH3_128bits(data.data(), data.size());
  return absl::StrFormat("%016x%016x", hash.high64, hash.low64);
}

}  // namespace diopi
