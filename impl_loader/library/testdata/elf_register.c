/* The older device dialect, and nothing else. */
#include <diopi/diopirt.h>
#include <stdlib.h>

static void* my_malloc(uint64_t bytes) {
  return malloc(bytes);
}

int32_t initLibrary(void);
int32_t initLibrary(void) {
  return (int32_t)diopiRegisterDeviceMallocFunc(my_malloc);
}
