// Standard output and error on which only printable text appears, also where a program prints others' text.
#ifndef CASES_BASE_PRINTABLE_STREAM_H_
#define CASES_BASE_PRINTABLE_STREAM_H_

#include <mutex>
#include <ostream>
#include <streambuf>
#include <string_view>

#include "cases/base/text.h"

namespace diopi {

// Passes on what PrintableText leaves of what is written. Writing is thread-safe, as it is for std::cout.
class PrintableBuffer final : public std::streambuf {
 public:
  // `sink` is not owned.
  explicit PrintableBuffer(std::streambuf* sink) : sink_(sink) {}
  PrintableBuffer(const PrintableBuffer&) = delete;
  PrintableBuffer& operator=(const PrintableBuffer&) = delete;
  ~PrintableBuffer() override;

  std::streambuf* sink() const { return sink_; }

 protected:
  int_type overflow(int_type character) override;
  std::streamsize xsputn(const char* data, std::streamsize size) override;
  int sync() override { return sink_->pubsync(); }

 private:
  bool Write(std::string_view text);
  bool Pass(std::string_view printable);

  std::streambuf* const sink_;
  std::mutex mutex_;
  PrintablePieces pieces_ = PrintablePieces(true);
};

// While it lives, std::cout and std::cerr write through a PrintableBuffer each. Every program of ours has one
// in main, unless what it prints is binary.
class PrintableStreams {
 public:
  PrintableStreams();
  ~PrintableStreams();
  PrintableStreams(const PrintableStreams&) = delete;
  PrintableStreams& operator=(const PrintableStreams&) = delete;

 private:
  PrintableBuffer out_;
  PrintableBuffer err_;
};

// Writes a control sequence of our own, such as the one that clears a line, past a PrintableBuffer.
void WriteControl(std::string_view sequence, std::ostream* out);

}  // namespace diopi

#endif  // CASES_BASE_PRINTABLE_STREAM_H_
