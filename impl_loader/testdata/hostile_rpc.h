// Makes a stranger's gRPC call over a connected stream socket, with only the C and C++ libraries: HTTP/2 with
// literal headers, and protobuf fields by their numbers.
#ifndef IMPL_LOADER_TESTDATA_HOSTILE_RPC_H_
#define IMPL_LOADER_TESTDATA_HOSTILE_RPC_H_

#include <sys/socket.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hostile {

inline std::string Varint(uint64_t value) {
  std::string text;
  for (; value >= 0x80; value >>= 7) text.push_back(static_cast<char>(value | 0x80));
  text.push_back(static_cast<char>(value));
  return text;
}

inline std::string Bytes(uint32_t field, std::string_view value) {
  return Varint(field << 3 | 2) + Varint(value.size()) + std::string(value);
}

inline std::string Number(uint32_t field, uint64_t value) {
  return Varint(field << 3) + Varint(value);
}

inline bool TakeVarint(std::string_view* text, uint64_t* value) {
  *value = 0;
  for (int shift = 0; shift < 64 && !text->empty(); shift += 7) {
    const auto byte = static_cast<uint8_t>(text->front());
    text->remove_prefix(1);
    *value |= static_cast<uint64_t>(byte & 0x7F) << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

// The values of one field whose wire type is length-delimited.
inline std::vector<std::string_view> Fields(std::string_view message, uint32_t field) {
  std::vector<std::string_view> found;
  uint64_t tag = 0;
  uint64_t value = 0;
  while (TakeVarint(&message, &tag)) {
    const uint64_t type = tag & 7;
    size_t skip = 0;
    if (type == 0) {
      if (!TakeVarint(&message, &value)) break;
    } else if (type == 2) {
      if (!TakeVarint(&message, &value) || value > message.size()) break;
      skip = static_cast<size_t>(value);
      if (tag >> 3 == field) found.push_back(message.substr(0, skip));
    } else {
      skip = type == 1 ? 8 : 4;
    }
    if (skip > message.size()) break;
    message.remove_prefix(skip);
  }
  return found;
}

class Connection {
 public:
  explicit Connection(int socket) : socket_(socket) {
    const std::string settings = Frame(4, 0, 0, "");
    Send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + settings + Frame(8, 0, 0, std::string("\x7F\0\0\0", 4)));
  }

  // The messages of the server's answer; none when it refuses.
  std::vector<std::string> Call(const std::string& method, const std::string& request) {
    const uint32_t stream = next_;
    next_ += 2;
    const std::string headers = Header(":method", "POST") + Header(":scheme", "http") +
                                Header(":path", "/diopi.v1.Conformance/" + method) +
                                Header(":authority", "localhost") +
                                Header("content-type", "application/grpc") + Header("te", "trailers");
    Send(Frame(1, 4, stream, headers) +
         Frame(0, 1, stream, std::string(1, '\0') + Big(request.size(), 4) + request));
    std::string data;
    while (TakeFrame(stream, &data)) {
    }
    std::vector<std::string> messages;
    for (size_t at = 0; at + 5 <= data.size();) {
      size_t length = 0;
      for (size_t i = 1; i < 5; ++i) length = length << 8 | static_cast<uint8_t>(data[at + i]);
      messages.push_back(data.substr(at + 5, length));
      at += 5 + length;
    }
    return messages;
  }

 private:
  static std::string Big(uint64_t value, int bytes) {
    std::string text;
    for (int i = bytes - 1; i >= 0; --i) text.push_back(static_cast<char>(value >> (8 * i)));
    return text;
  }
  static std::string Header(std::string_view name, std::string_view value) {
    return std::string(1, '\0') + Varint(name.size()) + std::string(name) + Varint(value.size()) +
           std::string(value);
  }
  static std::string Frame(char type, char flags, uint32_t stream, const std::string& payload) {
    return Big(payload.size(), 3) + type + flags + Big(stream, 4) + payload;
  }
  void Send(const std::string& text) const {
    size_t sent = 0;
    while (sent < text.size()) {
      const ssize_t n = send(socket_, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
      if (n <= 0) return;
      sent += static_cast<size_t>(n);
    }
  }
  bool Receive(size_t bytes, std::string* text) const {
    text->assign(bytes, '\0');
    return bytes == 0 || recv(socket_, text->data(), bytes, MSG_WAITALL) == static_cast<ssize_t>(bytes);
  }
  // False at the stream's end.
  bool TakeFrame(uint32_t stream, std::string* data) const {
    std::string head;
    std::string payload;
    if (!Receive(9, &head)) return false;
    size_t length = 0;
    for (size_t i = 0; i < 3; ++i) length = length << 8 | static_cast<uint8_t>(head[i]);
    uint32_t of = 0;
    for (size_t i = 5; i < 9; ++i) of = of << 8 | static_cast<uint8_t>(head[i]);
    if (!Receive(length, &payload)) return false;
    const char type = head[3];
    const char flags = head[4];
    if (type == 0 && of == stream) *data += payload;
    if (type == 4 && (flags & 1) == 0) Send(Frame(4, 1, 0, ""));
    if (type == 6 && (flags & 1) == 0) Send(Frame(6, 1, 0, payload));
    const bool ended = of == stream && (type == 3 || (type <= 1 && (flags & 1) != 0));
    return !ended && type != 7;
  }

  const int socket_;
  uint32_t next_ = 1;
};

// Takes cases of the newest run as if it were an agent, and reports PASS for them. Returns how many verdicts
// the server stored.
inline uint64_t ReportPass(Connection* server) {
  const std::vector<std::string> list = server->Call("ListRuns", "");
  if (list.empty()) return 0;
  const std::vector<std::string_view> runs = Fields(list[0], 1);
  if (runs.empty() || Fields(runs[0], 1).empty()) return 0;
  const std::string who = Bytes(1, Fields(runs[0], 1)[0]) + Bytes(2, "another agent");
  std::string report = who;
  // Without tensors, which would have to be fetched.
  for (const std::string& message : server->Call("Lease", who + Number(3, 1024) + Number(6, 1))) {
    for (const std::string_view start : Fields(message, 2)) {
      for (const std::string_view c : Fields(start, 1)) {
        const std::vector<std::string_view> id = Fields(c, 1);
        const std::vector<std::string_view> hash = Fields(c, 2);
        if (id.empty() || hash.empty()) continue;
        report += Bytes(
            3, Bytes(1, id[0]) + Bytes(2, hash[0]) + Number(3, 1) + Bytes(4, "forged"));  // OUTCOME_PASS
      }
    }
  }
  const std::vector<std::string> answer = server->Call("Report", report);
  if (answer.empty() || answer[0].empty()) return 0;
  std::string_view stored = answer[0];
  uint64_t tag = 0;
  uint64_t count = 0;
  return TakeVarint(&stored, &tag) && tag == 8 && TakeVarint(&stored, &count) ? count : 0;
}

}  // namespace hostile

#endif  // IMPL_LOADER_TESTDATA_HOSTILE_RPC_H_
