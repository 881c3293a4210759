// What one HTTP/2 client sends, frame by frame: what it costs the server without being of use, and what no
// client may send. Only frame headers are read; nothing is decoded.
#ifndef SERVER_DOOR_CLIENT_WATCH_H_
#define SERVER_DOOR_CLIENT_WATCH_H_

#include <array>
#include <cstdint>
#include <string_view>

namespace diopi::server {

// The server announces this many streams at a time (SETTINGS_MAX_CONCURRENT_STREAMS). Our agents use a few.
inline constexpr int kStreamsAtOnce = 128;

inline constexpr int kPriceOfReset = 20;

// What some bytes cost. Points measure work that a client may cause without being allowed to call anything: a
// reset makes gRPC build a call and throw it away (20; 100 if it could be let through to a handler), a
// SETTINGS or PING frame makes it answer (10).
struct Nuisance {
  int points = 0;              // below zero: allowed calls pay for some control frames
  int dearest = 0;             // the price of one frame of `kind`
  std::string_view kind;       // the dearest kind of frame among them; a literal
  std::string_view violation;  // why the connection must end at once; empty: it need not; a literal
  bool useful = false;         // a call or its data was among them
};

// Reads a client's bytes in order. Not thread-safe.
class ClientWatch {
 public:
  // `admitted`: a call on this connection was allowed.
  Nuisance Read(std::string_view bytes, bool admitted);
  // The client's preface is complete.
  bool opened() const { return preface_ == kPreface.size(); }
  // A header block has begun and not ended, so nothing else can be sent.
  bool in_header_block() const { return block_ > 0; }

  static constexpr std::string_view kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

 private:
  void Frame(bool admitted, Nuisance* nuisance);

  size_t preface_ = 0;               // bytes of it that were read
  std::array<uint8_t, 9> header_{};  // of the current frame
  size_t header_size_ = 0;
  uint32_t payload_ = 0;  // bytes of it still to come
  uint32_t block_ = 0;    // bytes of the current header block; 0: none
  int unconfirmed_ = 0;   // streams opened before the client confirmed the server's SETTINGS
  bool confirmed_ = false;
};

}  // namespace diopi::server

#endif  // SERVER_DOOR_CLIENT_WATCH_H_
