// The prices follow from measurements (README.md): an honest client of gRPC stays far below the budgets of
// door.cc with them, since it cancels few calls, and pings and changes settings a few times a second at most.
// A violation is what gRPC 1.51 does not limit itself and no client needs.
#include "server/door/client_watch.h"

#include <algorithm>

namespace diopi::server {
namespace {

enum Type : uint8_t {
  kData = 0,
  kHeaders = 1,
  kReset = 3,
  kSettings = 4,
  kWindowUpdate = 8,
  kContinuation = 9
};
constexpr uint8_t kAck = 1;
constexpr uint8_t kEndStream = 1;
constexpr uint8_t kEndHeaders = 4;
// gRPC's own limit on metadata is 8 KiB. Every frame of a block counts as if it had a header of this size, so
// that empty ones end, too.
constexpr uint32_t kMostBlockBytes = 64 << 10;
constexpr uint32_t kBlockFrameBytes = 1 << 10;
// Messages are split into frames only where they are larger than this.
constexpr uint32_t kSmallData = 64;
// A small call of gRPC's comes with a WINDOW_UPDATE, and at times with one for the connection.
constexpr int kControlFramesPerCall = 4;

constexpr std::array<std::string_view, 10> kNames = {
    "small DATA",   "HEADERS", "PRIORITY", "RST_STREAM",    "SETTINGS",
    "PUSH_PROMISE", "PING",    "GOAWAY",   "WINDOW_UPDATE", "CONTINUATION"};

int PriceOf(uint8_t type, uint8_t flags, uint32_t length, bool admitted) {
  switch (type) {
    case kData:
      if (length == 0) return (flags & kEndStream) != 0 ? 0 : 10;
      return length < kSmallData && (flags & kEndStream) == 0 ? 1 : 0;
    case kHeaders:
      return admitted ? -kControlFramesPerCall : 10;
    case kReset:
      return admitted ? 100 : kPriceOfReset;
    case kWindowUpdate:
      return 1;
    default:
      return 10;
  }
}

}  // namespace

void ClientWatch::Frame(bool admitted, Nuisance* nuisance) {
  payload_ = uint32_t{header_[0]} << 16 | uint32_t{header_[1]} << 8 | header_[2];
  const uint8_t type = header_[3];
  const uint8_t flags = header_[4];
  const int price = PriceOf(type, flags, payload_, admitted);
  if (price > nuisance->dearest) {
    nuisance->dearest = price;
    nuisance->kind = type < kNames.size() ? kNames[type] : "unknown frames";
  }
  nuisance->points += price;
  nuisance->useful = nuisance->useful || type == kHeaders || (type == kData && payload_ > 0);
  confirmed_ = confirmed_ || (type == kSettings && (flags & kAck) != 0);
  if (type == kHeaders && !confirmed_ && ++unconfirmed_ > kStreamsAtOnce) {
    nuisance->violation = "streams before SETTINGS were confirmed";
  }
  if (type != kHeaders && type != kContinuation) return;
  block_ = std::min(block_ + payload_ + kBlockFrameBytes, kMostBlockBytes + 1);
  if (block_ > kMostBlockBytes) nuisance->violation = "a header block of more than 64 KiB";
  if ((flags & kEndHeaders) != 0) block_ = 0;
}

Nuisance ClientWatch::Read(std::string_view bytes, bool admitted) {
  Nuisance nuisance;
  while (!bytes.empty() && nuisance.violation.empty()) {
    size_t taken = 0;
    if (!opened()) {
      taken = std::min(bytes.size(), kPreface.size() - preface_);
      if (bytes.substr(0, taken) != kPreface.substr(preface_, taken)) nuisance.violation = "not HTTP/2";
      preface_ += taken;
    } else if (payload_ > 0) {
      taken = std::min<size_t>(bytes.size(), payload_);
      payload_ -= static_cast<uint32_t>(taken);
    } else {
      taken = std::min(bytes.size(), header_.size() - header_size_);
      std::copy_n(bytes.begin(), taken, header_.begin() + static_cast<std::ptrdiff_t>(header_size_));
      header_size_ += taken;
      if (header_size_ == header_.size()) {
        header_size_ = 0;
        Frame(admitted, &nuisance);
      }
    }
    bytes.remove_prefix(taken);
  }
  return nuisance;
}

}  // namespace diopi::server
