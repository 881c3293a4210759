// Fuzzes what a worker sends to its agent, as the vendor's code in it can send anything. The bytes arrive in
// two parts on a socket; every reply's outputs are then read from shared memory as the agent does.
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>

#include "diopi/v1/worker.pb.h"
#include "impl_loader/worker/channel.h"
#include "impl_loader/worker/shared_memory.h"

namespace {

using diopi::Descriptor;
using diopi::loader::Channel;
using diopi::loader::SharedMemory;

bool WriteAll(int fd, const uint8_t* data, size_t size) {
  return size == 0 || send(fd, data, size, MSG_NOSIGNAL) == static_cast<ssize_t>(size);
}

void ReadOutputs(const diopi::v1::WorkerReply& reply) {
  static SharedMemory& memory = *new SharedMemory(SharedMemory::Create(4096, 4096).value());
  for (const diopi::v1::ShmTensor& placed : reply.outputs()) {
    const auto tensor = memory.Take(placed, memory.data_offset());
    if (tensor.ok() && tensor->data.size() > 64u << 20) std::abort();  // more than there is
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr size_t kMostBytes = 32 << 10;  // fits the socket's buffer: nothing waits
  if (size > kMostBytes) return 0;
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) std::abort();
  Channel channel{Descriptor(ends[0])};
  Descriptor worker(ends[1]);
  diopi::v1::WorkerReply reply;
  bool complete = false;
  if (!WriteAll(worker.get(), data, size / 2)) std::abort();
  if (channel.Poll(&reply, &complete).ok() && complete) ReadOutputs(reply);
  if (!WriteAll(worker.get(), data + size / 2, size - size / 2)) std::abort();
  worker.Close();
  while (channel.Receive(&reply).ok()) ReadOutputs(reply);
  return 0;
}
