// A loopback proxy between agents and a server that breaks connections on demand.
#ifndef CLIENT_TESTING_PROXY_H_
#define CLIENT_TESTING_PROXY_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

namespace diopi::testing {

// What happens to a connection.
struct Fault {
  enum class Kind {
    kNone,
    kCut,    // both ends are reset
    kStall,  // half open: nothing passes, and neither side notices
    kDelay,  // delays every piece by `delay_ms`
  };
  Kind kind = Kind::kNone;
  int64_t after_bytes = 0;  // counted in bytes from the server, so mostly in the middle of a frame
  int delay_ms = 0;
};

// Listens on a free port of 127.0.0.1. Thread-safe.
class Proxy {
 public:
  // `server`: 127.0.0.1:PORT. The first `times` connections get the fault, the others none.
  Proxy(const std::string& server, const Fault& fault, int times);
  ~Proxy();  // ends all connections
  Proxy(const Proxy&) = delete;
  Proxy& operator=(const Proxy&) = delete;

  const std::string& address() const { return address_; }
  int connections() const { return connections_; }
  int faults() const { return faults_; }  // number so far

 private:
  struct Connection {
    int client = -1;
    int server = -1;
    Fault fault;
    std::thread thread;
  };

  void Accept();
  void Pump(Connection* connection);
  // False when the connection is over.
  bool Pass(Connection* connection, bool from_server, int64_t* passed);

  const std::string server_;
  const Fault fault_;
  const int times_;
  int listener_ = -1;
  int stop_[2] = {-1, -1};  // readable once the proxy ends
  std::string address_;
  std::atomic<int> connections_ = 0;
  std::atomic<int> faults_ = 0;
  std::list<Connection> all_;
  std::thread thread_;
};

}  // namespace diopi::testing

#endif  // CLIENT_TESTING_PROXY_H_
