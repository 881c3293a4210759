// Objects of other programs on a machine, which a hostile library (vendor_hostile) looks for.
#ifndef CLIENT_TESTING_FOREIGN_OBJECTS_H_
#define CLIENT_TESTING_FOREIGN_OBJECTS_H_

#include <sys/types.h>

#include <string>
#include <vector>

#include "cases/base/descriptor.h"

namespace diopi::testing {

// Shared memory and a message queue of System V, a POSIX message queue, a file in /dev/shm, a Unix socket for
// datagrams, an abstract socket, and a terminal at which somebody has typed a line. All belong to one user,
// and go with this object.
class ForeignObjects {
 public:
  // `home`: a folder of the user's, for the socket.
  ForeignObjects(uid_t user, const std::string& home);
  ~ForeignObjects();
  ForeignObjects(const ForeignObjects&) = delete;
  ForeignObjects& operator=(const ForeignObjects&) = delete;

  // For vendor_hostile, NAME=VALUE.
  std::vector<std::string> Environment() const;
  // Whether the library's own shared memory is still there. Removes it.
  bool FindLeftSharedMemory() const;

 private:
  void MakeIpc(uid_t user);
  void MakeSockets(uid_t user, const std::string& home);
  void MakeTerminal(uid_t user);

  const std::string name_;  // of all that has a name
  const key_t key_;         // of the library's shared memory: one more
  int memory_ = -1;
  int queue_ = -1;
  std::string terminal_;
  std::vector<Descriptor> open_;
};

}  // namespace diopi::testing

#endif  // CLIENT_TESTING_FOREIGN_OBJECTS_H_
