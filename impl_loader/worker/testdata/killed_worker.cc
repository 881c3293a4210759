// A worker program that is killed after its hello, before it has a case, as many times as the file
// $DIOPI_TEST_KILLS has bytes; then it is diopi-worker, $DIOPI_TEST_WORKER.
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "diopi/v1/worker.pb.h"
#include "impl_loader/worker/channel.h"
#include "impl_loader/worker/shared_layout.h"

int main(int, char** argv) {
  const std::filesystem::path kills = std::getenv("DIOPI_TEST_KILLS");
  const auto left = std::filesystem::file_size(kills);
  if (left == 0) {
    execv(std::getenv("DIOPI_TEST_WORKER"), argv);
    return 1;
  }
  std::filesystem::resize_file(kills, left - 1);
  shutdown(diopi::loader::kSocketDescriptor, SHUT_RD);  // so the case cannot arrive, however fast it is sent
  diopi::loader::Channel channel{diopi::Descriptor(diopi::loader::kSocketDescriptor)};
  diopi::v1::WorkerHello hello;
  hello.mutable_sandbox()->set_code(diopi::v1::Finding::TOGETHER);
  if (!channel.Send(hello).ok() || !channel.Send(hello).ok()) return 1;
  raise(SIGKILL);
  return 1;
}
