// Which addresses stay on this machine.
#ifndef SERVER_SECURITY_LOOPBACK_H_
#define SERVER_SECURITY_LOOPBACK_H_

#include <string>

namespace diopi::server {

// `address`: HOST:PORT, where HOST may be in brackets, or unix:PATH. True for Unix sockets, 127.0.0.0/8, ::1
// and localhost; false for other names, whatever they resolve to.
bool StaysOnThisMachine(const std::string& address);

}  // namespace diopi::server

#endif  // SERVER_SECURITY_LOOPBACK_H_
