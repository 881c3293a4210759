// An address is not a person: a laboratory may share one. So what strangers do is held against their
// connection first, then against the other strangers of the address, and never against connections on which a
// call was allowed. The book keeps an address while it has connections or is on probation, and no more than
// kMostAddresses of the latter.
#include "server/door/guest_book.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/telemetry/log.h"

namespace diopi::server {
namespace {

constexpr size_t kMostAddresses = 4096;
constexpr size_t kMostOffendersShown = 16;
constexpr std::chrono::seconds kSweepEvery{1};
// A guest that was of use a moment ago is not replaced by one that is allowed as much.
constexpr std::chrono::seconds kKept{10};
// The budgets of an admitted connection, of a stranger's, and of all strangers of an address. What strangers
// send at once must not occupy gRPC's threads (ServerOptions::max_threads), or it refuses calls of others: a
// call and its reset cost 30.
constexpr Budget::Size kOfConnection{10'000, 2'000};
constexpr Budget::Size kOfStranger{2'000, 500};
constexpr Budget::Size kOfStrangerOnProbation{200, 50};
constexpr Budget::Size kOfAddress{3'000, 1'000};
// Connections. An agent opens a few, and its retries are at most 20 a second.
constexpr Budget::Size kArrivals{300, 50};
constexpr Budget::Size kArrivalsOnProbation{20, 5};
// gRPC's clients announce room for more data at most this often.
constexpr double kBytesPerPoint = 4096;

}  // namespace

bool Budget::Take(double points, const Size& size, DoorClock::time_point now) {
  const double seconds = std::chrono::duration<double>(now - std::exchange(filled_, now)).count();
  left_ = left_ < 0 ? size.most : std::min(size.most, left_ + seconds * size.per_second);
  const bool enough = left_ >= points;
  left_ = enough ? std::min(size.most, left_ - points) : 0;
  return enough;
}

GuestBook::Address* GuestBook::Find(const std::string& name, DoorClock::time_point now) {
  const auto found = addresses_.find(name);
  if (found != addresses_.end()) return &found->second;
  if (addresses_.size() >= kMostAddresses && now - swept_ > kSweepEvery) {
    swept_ = now;
    std::erase_if(addresses_, [now](const auto& entry) {
      return entry.second.guests == 0 && entry.second.probation_ends <= now;
    });
  }
  if (addresses_.size() >= kMostAddresses) {
    const auto empty = std::find_if(addresses_.begin(), addresses_.end(),
                                    [](const auto& entry) { return entry.second.guests == 0; });
    if (empty == addresses_.end()) return nullptr;
    addresses_.erase(empty);
  }
  return &addresses_[name];
}

uint64_t GuestBook::Replaceable(const std::string& address, bool strangers_only,
                                DoorClock::time_point now) const {
  const Guest* chosen = nullptr;
  for (const auto& [id, guest] : guests_) {
    if (!address.empty() && guest->address != address) continue;
    const bool admitted = guest->admitted;
    if (admitted && (strangers_only || now - guest->useful.load() < kKept)) continue;
    if (chosen == nullptr || std::pair(admitted, guest->useful.load()) <
                                 std::pair(chosen->admitted.load(), chosen->useful.load())) {
      chosen = guest.get();
    }
  }
  return chosen == nullptr ? 0 : chosen->id;
}

GuestBook::Arrival GuestBook::Arrive(const std::string& address, const std::string& peer,
                                     DoorClock::time_point now) {
  const std::lock_guard lock(mutex_);
  Address* const from = Find(address, now);
  if (from == nullptr) return {};
  const bool probation = OnProbation(*from, now);
  if (limits_.count_addresses && !from->arrivals.Take(1, probation ? kArrivalsOnProbation : kArrivals, now)) {
    CountClosed(from, address, peer, "new connections", true, now);
    return {};
  }
  Arrival arrival;
  if (limits_.count_addresses && from->strangers >= limits_.strangers_per_address) {
    arrival.replaced = Replaceable(address, true, now);
  } else if (strangers_ >= limits_.strangers) {
    arrival.replaced = Replaceable("", true, now);
  } else if (guests_.size() >= static_cast<size_t>(limits_.connections)) {
    arrival.replaced = Replaceable("", false, now);
    if (arrival.replaced == 0) {
      CountClosed(from, address, peer, "all connections in use", false, now);
      return {};
    }
  }
  if (arrival.replaced != 0) CountClosed(from, address, peer, "connections at a time", false, now);
  arrival.guest = std::make_shared<Guest>();
  arrival.guest->id = ++last_id_;
  arrival.guest->address = address;
  arrival.guest->peer = peer;
  arrival.guest->useful = now;
  guests_.emplace(last_id_, arrival.guest);
  ++from->guests;
  ++from->strangers;
  ++strangers_;
  return arrival;
}

void GuestBook::Leave(const Guest& guest) {
  const std::lock_guard lock(mutex_);
  if (guests_.erase(guest.id) == 0) return;
  const auto from = addresses_.find(guest.address);
  if (!guest.admitted) {
    --from->second.strangers;
    --strangers_;
  }
  --from->second.guests;  // Find removes it, if it has to
}

bool GuestBook::Spend(Guest* guest, const Nuisance& nuisance, uint64_t relayed, DoorClock::time_point now) {
  const std::lock_guard lock(mutex_);
  const auto found = addresses_.find(guest->address);
  if (found == addresses_.end()) return true;
  const double net = nuisance.points - static_cast<double>(relayed) / kBytesPerPoint;
  if (guest->admitted) return guest->budget.Take(net, kOfConnection, now);
  const bool probation = OnProbation(found->second, now);
  if (!guest->budget.Take(net, probation ? kOfStrangerOnProbation : kOfStranger, now)) return false;
  // A laboratory's clients may all connect at once.
  const double opening = nuisance.dearest < kPriceOfReset ? std::clamp(net, 0.0, guest->opening) : 0;
  guest->opening -= opening;
  const double charged = std::max(net, 0.0) - opening;
  return !limits_.count_addresses || found->second.nuisance.Take(charged, kOfAddress, now);
}

void GuestBook::CountClosed(Address* address, const std::string& name, const std::string& peer,
                            std::string_view why, bool abuse, DoorClock::time_point now) {
  ++closed_[why];
  if (address->quiet_ends <= now) {
    address->closed = 0;
    address->quiet_ends = now + limits_.probation;
    LogRefusal(LogLevel::kWarn,
               {{"peer", peer},
                {"token", ""},
                {"address", name},
                {"status", absl::StrCat("too much of: ", absl::string_view(why.data(), why.size()),
                                        "; what else this address does is only counted for a while")}});
  }
  ++address->closed;
  if (abuse) address->probation_ends = now + limits_.probation;
}

void GuestBook::Closed(const Guest& guest, std::string_view why, bool abuse, DoorClock::time_point now) {
  const std::lock_guard lock(mutex_);
  const auto from = addresses_.find(guest.address);
  if (from != addresses_.end()) CountClosed(&from->second, guest.address, guest.peer, why, abuse, now);
}

void GuestBook::Admit(uint64_t id) {
  const std::lock_guard lock(mutex_);
  const auto found = guests_.find(id);
  if (found == guests_.end() || found->second->admitted.exchange(true)) return;
  --addresses_.at(found->second->address).strangers;
  --strangers_;
}

std::vector<Sample> GuestBook::Samples(DoorClock::time_point now) {
  const std::lock_guard lock(mutex_);
  std::vector<Sample> samples;
  const auto add = [&](const char* name, const char* help, Sample::Kind kind,
                       std::map<std::string, std::string> labels, auto value) {
    samples.push_back({name, help, kind, std::move(labels), static_cast<double>(value)});
  };
  constexpr char kOpen[] = "diopi_door_connections";
  constexpr char kOpenHelp[] = "Connections of gRPC clients; strangers have had no call allowed.";
  add(kOpen, kOpenHelp, Sample::Kind::kGauge, {{"state", "admitted"}},
      guests_.size() - static_cast<size_t>(strangers_));
  add(kOpen, kOpenHelp, Sample::Kind::kGauge, {{"state", "stranger"}}, strangers_);
  for (const auto& [why, count] : closed_) {
    add("diopi_door_closed_total",
        "Connections that the server refused or closed, by what there was too much of.",
        Sample::Kind::kCounter, {{"reason", std::string(why)}}, count);
  }
  std::vector<std::pair<uint64_t, const std::string*>> offenders;
  for (const auto& [name, address] : addresses_) {
    if (address.closed > 0 && address.quiet_ends > now) offenders.emplace_back(address.closed, &name);
  }
  add("diopi_door_offenders", "Addresses whose connections were closed in the last minute.",
      Sample::Kind::kGauge, {}, offenders.size());
  std::sort(offenders.rbegin(), offenders.rend());
  offenders.resize(std::min(offenders.size(), kMostOffendersShown));
  for (const auto& [closed, name] : offenders) {
    add("diopi_door_offender_closed", "Connections closed, of the worst of these addresses.",
        Sample::Kind::kGauge, {{"address", *name}}, closed);
  }
  return samples;
}

}  // namespace diopi::server
