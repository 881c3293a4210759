// A file descriptor that is closed with its owner.
#ifndef CASES_BASE_DESCRIPTOR_H_
#define CASES_BASE_DESCRIPTOR_H_

#include <unistd.h>

#include <utility>

namespace diopi {

// Move-only.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    if (this != &other) {
      Close();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }
  ~Descriptor() { Close(); }

  int get() const { return fd_; }  // -1: none
  bool valid() const { return fd_ >= 0; }
  void Close() {
    if (fd_ >= 0) close(fd_);
    fd_ = -1;
  }

 private:
  int fd_ = -1;
};

}  // namespace diopi

#endif  // CASES_BASE_DESCRIPTOR_H_
