/* The functions of NVIDIA's driver that CudaEvents uses, with a clock that always shows the same time. */
int fake_cuda_started = 0; /* whether the device has reached a stamp that is asked for */
int fake_cuda_events = 0;  /* made and not destroyed */
static char events[16];

int cuEventCreate(void** event, unsigned flags) {
  (void)flags;
  *event = &events[fake_cuda_events++ % 16];
  return 0;
}
int cuEventDestroy_v2(void* event) {
  (void)event;
  --fake_cuda_events;
  return 0;
}
int cuEventRecord(void* event, void* stream) {
  (void)event;
  return stream == 0 ? 400 : 0;
}
int cuEventQuery(void* event) {
  (void)event;
  return fake_cuda_started ? 0 : 600;
}
int cuEventSynchronize(void* event) {
  (void)event;
  return 0;
}
int cuEventElapsedTime(float* milliseconds, void* start, void* stop) {
  *milliseconds = 3.0F;
  return start == stop;
}
