// vendor_forger: does nothing, and answers in its worker's name. While it is being loaded it puts itself
// between the worker and its channel (descriptor 3): the worker gets every call, prepares the memory and
// makes the call, and its answer is replaced in the way that $DIOPI_TEST_FORGE names. With
// $DIOPI_TEST_FORGE_ALONE the worker gets nothing. The messages' wire format is written by hand: a second
// copy of the generated classes would end the worker's process.
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <thread>

namespace {

constexpr int kChannel = 3;

// Outcome of proto/diopi/v1/verdict.proto.
constexpr uint64_t kPass = 1;
constexpr uint64_t kSkipped = 10;
constexpr uint64_t kWaived = 12;

// Finding.Code of finding.proto.
constexpr uint64_t kNotWritten = 300;
constexpr uint64_t kLibraryCheck = 500;
constexpr uint64_t kWaivedBy = 601;

std::string Varint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes.push_back(static_cast<char>(value | 0x80));
  bytes.push_back(static_cast<char>(value));
  return bytes;
}

std::string Number(uint64_t field, uint64_t value) {
  return Varint(field << 3) + Varint(value);
}

std::string Bytes(uint64_t field, const std::string& value) {
  return Varint(field << 3 | 2) + Varint(value.size()) + value;
}

std::string Double(uint64_t field, double value) {
  std::string bytes(sizeof(value), '\0');
  std::memcpy(bytes.data(), &value, sizeof(value));
  return Varint(field << 3 | 1) + bytes;
}

// Finding.
std::string Found(uint64_t code, const std::string& rest) {
  return Number(1, code) + rest;
}

std::string Check(uint64_t outcome) {
  return Bytes(11, Number(1, outcome) + Bytes(2, Found(kLibraryCheck, Bytes(13, "said the library"))));
}

// An output of one float32 somewhere in the shared memory.
std::string Output(const std::string& key, uint64_t offset, uint64_t bytes, bool in_frame) {
  return Bytes(5, Bytes(1, key) + Number(2, 9) + Number(3, bytes / 4) + Number(4, offset) + Number(5, bytes) +
                      Number(6, in_frame ? 1 : 0));
}

// Passes a descriptor along, unless it is -1.
bool SendMessage(int to, const std::string& message, int passed) {
  const auto length = static_cast<uint32_t>(message.size());
  std::string bytes(reinterpret_cast<const char*>(&length), sizeof(length));
  bytes += message;
  union {
    char bytes[CMSG_SPACE(sizeof(int))];
    cmsghdr header;
  } ancillary{};
  for (size_t sent = 0; sent < bytes.size();) {
    iovec part{bytes.data() + sent, bytes.size() - sent};
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    if (passed >= 0 && sent == 0) {
      ancillary.header.cmsg_len = CMSG_LEN(sizeof(int));
      ancillary.header.cmsg_level = SOL_SOCKET;
      ancillary.header.cmsg_type = SCM_RIGHTS;
      std::memcpy(CMSG_DATA(&ancillary.header), &passed, sizeof(int));
      header.msg_control = ancillary.bytes;
      header.msg_controllen = sizeof(ancillary.bytes);
    }
    const ssize_t n = sendmsg(to, &header, MSG_NOSIGNAL);
    if (n <= 0) return false;
    sent += static_cast<size_t>(n);
  }
  if (passed >= 0) close(passed);
  return true;
}

// `passed`: the descriptor that came with it; -1: none.
bool ReceiveAll(int from, char* to, size_t bytes, int* passed) {
  while (bytes > 0) {
    union {
      char bytes[CMSG_SPACE(sizeof(int))];
      cmsghdr header;
    } ancillary{};
    iovec part{to, bytes};
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = ancillary.bytes;
    header.msg_controllen = sizeof(ancillary.bytes);
    const ssize_t n = recvmsg(from, &header, 0);
    if (n <= 0) return false;
    if (CMSG_FIRSTHDR(&header) != nullptr)
      std::memcpy(passed, CMSG_DATA(CMSG_FIRSTHDR(&header)), sizeof(int));
    to += n;
    bytes -= static_cast<size_t>(n);
  }
  return true;
}

bool ReceiveMessage(int from, std::string* message, int* passed) {
  *passed = -1;
  uint32_t length = 0;
  if (!ReceiveAll(from, reinterpret_cast<char*>(&length), sizeof(length), passed)) return false;
  message->resize(length);
  return ReceiveAll(from, message->data(), length, passed);
}

// The numbers of a call that its answer needs.
struct Call {
  uint64_t sequence = 0;
  uint64_t output_offset = 0;
};

bool ReadVarint(std::string_view* bytes, uint64_t* value) {
  *value = 0;
  for (int shift = 0; shift < 64 && !bytes->empty(); shift += 7) {
    const auto byte = static_cast<uint8_t>(bytes->front());
    bytes->remove_prefix(1);
    *value |= uint64_t{byte & 0x7Fu} << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

Call ReadCall(std::string_view bytes) {
  Call call;
  uint64_t tag = 0;
  uint64_t value = 0;
  while (ReadVarint(&bytes, &tag) && ReadVarint(&bytes, &value)) {
    if (tag == 1 << 3) call.sequence = value;
    if (tag == 4 << 3) call.output_offset = value;
    if ((tag & 7) == 2) bytes.remove_prefix(value < bytes.size() ? value : bytes.size());
  }
  return call;
}

std::string Repeated(int times, const std::string& part) {
  std::string all;
  for (int i = 0; i < times; ++i) all += part;
  return all;
}

// What the answer has beside the sequence number and the count of calls.
std::string AnswerOf(const std::string& way, const Call& call) {
  if (way == "check passes") return Check(kPass);
  if (way == "check is skipped") return Check(kSkipped);
  if (way == "check is waived") return Check(kWaived);
  if (way == "check has an unknown outcome") return Check(99);
  if (way == "nothing is written") return Bytes(23, "out") + Bytes(23, "grad_input");
  if (way == "the adaptor cannot convert it") return Bytes(21, "1 of 3 elements do not fit");
  if (way == "it has outputs elsewhere") return Output("out", call.output_offset, 4, false);
  if (way == "its output is large and in the frame") return Output("out", 0, uint64_t{1} << 40, true);
  if (way == "an output comes twice") return Repeated(2, Output("out", call.output_offset, 4, false));
  if (way == "an output is no output") return Output("whatever", call.output_offset, 4, false);
  if (way == "the status is unknown") return Number(2, 77);
  if (way == "the case is bad") return Number(2, 3) + Bytes(4, "the harness is to blame");
  if (way == "400 kB of findings") return Repeated(200'000, Bytes(6, ""));
  if (way == "a finding is unknown") return Bytes(6, Found(9999, Number(3, 1)));
  if (way == "a finding belongs elsewhere") return Bytes(6, Found(kWaivedBy, Bytes(13, "by the forger")));
  if (way == "a finding has a part that belongs elsewhere")
    return Bytes(6, Found(kNotWritten, Bytes(14, Found(kWaivedBy, ""))));
  if (way == "a finding goes deep") {
    std::string finding = Found(kNotWritten, "");
    for (int i = 0; i < 50; ++i) finding = Found(kNotWritten, Bytes(14, finding));
    return Bytes(6, finding);
  }
  if (way == "the text is long") return Number(3, 1) + Bytes(4, std::string(900'000, '\x1b'));
  if (way == "the time is no number") return Double(9, std::numeric_limits<double>::quiet_NaN());
  if (way == "times are there") return Bytes(27, Number(3, 1));
  return "";  // it succeeded, and there is nothing else to say
}

std::string Hello(const std::string& way) {
  const bool device = way == "tensors are on a device";
  const std::string name = way == "the name is an escape" ? "evil\n\x1b]0;pwned\x07" : "forger";
  return Bytes(1, name) + Bytes(2, "1") + Bytes(3, device ? "conform_test" : "none") +
         Number(7, device ? 1 : 0);
}

bool Answer(int agent, const std::string& way, const Call& call) {
  if (way == "it is no message") return SendMessage(agent, std::string(64, '\xff'), -1);
  const uint64_t sequence = call.sequence + (way == "another call is answered" ? 1 : 0);
  const std::string answer = Number(1, sequence) + Number(10, 2) + AnswerOf(way, call);
  if (!SendMessage(agent, answer, -1)) return false;
  return way != "it comes twice" || SendMessage(agent, answer, -1);
}

// `worker`: gets the calls, too, and prepares the memory, makes them, and answers into the void; -1: there is
// no worker any longer.
void Serve(int agent, int worker, const std::string& way) {
  std::string message;
  int passed = -1;
  if (worker >= 0 && !ReceiveMessage(worker, &message, &passed)) return;  // its hello
  SendMessage(agent, Hello(way), -1);
  while (ReceiveMessage(agent, &message, &passed)) {
    const Call call = ReadCall(message);
    if (worker >= 0 && !(SendMessage(worker, message, passed) && ReceiveMessage(worker, &message, &passed)))
      return;
    if (!Answer(agent, way, call)) return;
  }
}

__attribute__((constructor)) void TakeOver() {
  const char* way = std::getenv("DIOPI_TEST_FORGE");
  // Loaded by something else than a worker, such as the agent for its own look at a library: there is no
  // channel.
  int type = 0;
  socklen_t size = sizeof(type);
  if (way == nullptr || getsockopt(kChannel, SOL_SOCKET, SO_TYPE, &type, &size) != 0) return;
  if (std::getenv("DIOPI_TEST_FORGE_ALONE") != nullptr) {
    Serve(kChannel, -1, way);
    _exit(0);
  }
  std::array<int, 2> ends{};
  const int agent = dup(kChannel);
  if (agent < 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) != 0 || dup2(ends[0], kChannel) < 0)
    return;
  std::thread([agent, worker = ends[1], way = std::string(way)] {
    Serve(agent, worker, way);
    _exit(0);
  }).detach();
}

}  // namespace

// Every function is there, and returns success.
#define EACH(name)        \
  extern "C" int name() { \
    return 0;             \
  }
#include "abi_functions.inc"
