// diopiAdd forks. alpha 1: both processes return; 2: the copy runs on after the call; 3: the copy ends inside
// the call and is waited for, which is the library's own business; 4: as 1, and the copy is an orphan; 5: as
// 3, and the call fails if the copy has one of the worker's descriptors, the channel and the shared memory;
// otherwise nothing is forked.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "impl_loader/testdata/vendor_common.h"

DIOPI_SPOILT_ADD {
  const int how = add.alpha >= 1 && add.alpha <= 5 ? static_cast<int>(add.alpha) : 0;
  const pid_t copy = how == 0 ? -1 : fork();
  if (copy == 0 && how == 2) {
    for (;;) pause();
  }
  if (copy == 0 && how == 3) _exit(0);
  if (copy == 0 && how == 4 && fork() != 0) _exit(0);
  if (copy == 0 && how == 5) _exit(fcntl(3, F_GETFD) >= 0 || fcntl(4, F_GETFD) >= 0 ? 1 : 0);
  int status = 0;
  if (copy > 0 && how >= 3) waitpid(copy, &status, 0);
  if (status != 0) return diopiErrorOccurred;
  Add(add);
  return diopiSuccess;
}
