#include "test/sim/reserving.hpp"

#include "test/sim/clock.hpp"

namespace annals::sim {

namespace {
constexpr int tries_max = 20;  // of a reservation for a job: most are in no state for it
}  // namespace

reservation_users::reservation_users(int reservations, reserving what, std::mt19937_64& random) : random_(random) {
  for (int i = 0; i < reservations; ++i) {
    wish w;
    w.what = what == reserving::anything ? static_cast<reserving>(pick(1, 5)) : what;
    w.command_id = drawn_id();
    w.jobs = static_cast<int>(pick(0, 3));
    w.changes = chance(0.5) ? static_cast<int>(pick(1, 2)) : 0;
    w.remove = chance(0.3);
    wishes_.push_back(std::move(w));
  }
}

std::string reservation_users::drawn_id() {
  std::string id(16, '\0');
  for (auto& c : id) c = static_cast<char>(random_());
  return id;
}

void reservation_users::draw(wish& w, std::int64_t now_s, const std::vector<std::string>& jobs, int moms) {
  const auto add = [&](const char* name, const std::string& value, const char* resource = "") {
    w.words.push_back({name, resource, value});
  };
  w.words.clear();
  const auto job = jobs.empty() ? std::string("0.server") : jobs[random_() % jobs.size()];
  if (w.what == reserving::from_job) return add("reserve_job", job);
  if (w.what == reserving::as_soon_as_possible) {
    add("qmove", job);
    return add("delete_idle_time", "00:00:20");
  }
  add("reserve_start", std::to_string(now_s + pick(3, 60)));
  add("reserve_duration", std::to_string(pick(5, 45)));
  if (w.what == reserving::maintenance) {
    w.host = "n" + std::to_string(pick(1, moms));
    return;
  }
  add("Resource_List", chance(0.3) ? "1:ncpus=2" : std::to_string(pick(1, 2)) + ":ncpus=1", "select");
  add("Resource_List", chance(0.2) ? "excl" : chance(0.3) ? "scatter"
                                                          : "free",
      "place");
  if (w.what != reserving::standing) return;
  add("reserve_rrule", "FREQ=MINUTELY;COUNT=" + std::to_string(pick(2, 3)));
  add("reserve_timezone", "Europe/Berlin");
}

schema::sealed<schema::Request> reservation_users::submission(std::uint64_t request, const wish& w) const {
  return schema::make<schema::Request>([&](schema::Request::Builder r) {
    r.setId(request);
    r.setCommandId({reinterpret_cast<const kj::byte*>(w.command_id.data()), w.command_id.size()});
    auto s = r.initSubmitReservation();
    auto list = s.initAttributes(static_cast<unsigned>(w.words.size()));
    for (unsigned i = 0; i < list.size(); ++i) {
      list[i].setName(w.words[i].name);
      list[i].setResource(w.words[i].resource);
      list[i].setValue(w.words[i].value);
    }
    if (!w.host.empty()) s.initHosts(1).set(0, w.host);
  });
}

// Another beginning, another end, another name, or another size.
schema::sealed<schema::Request> reservation_users::change(std::uint64_t request, const wish& w, std::int64_t now_s) {
  const auto what = pick(0, 4);
  return schema::make<schema::Request>([&](schema::Request::Builder r) {
    r.setId(request);
    auto a = r.initAlterReservation();
    a.setReservation(w.acknowledged);
    auto c = a.initChanges(1)[0];
    const auto to = [&](const char* name, const std::string& value, const char* resource = "") {
      c.setName(name);
      c.setResource(resource);
      c.setValue(value);
    };
    switch (what) {
      case 0: return to("reserve_start", std::to_string(now_s + pick(1, 40)));
      case 1: return to("reserve_end", std::to_string(now_s + pick(5, 90)));
      case 2: return to("reserve_duration", std::to_string(pick(5, 50)));
      case 3: return to("Resource_List", "1:ncpus=1", "select");
      default: return to("Reserve_Name", "other");
    }
  });
}

std::optional<schema::sealed<schema::Request>> reservation_users::ask(std::uint64_t request, std::int64_t now_ns,
                                                                      const std::vector<std::string>& jobs, const reserved_vnodes& known,
                                                                      int moms) {
  for (std::size_t i = 0; i < wishes_.size(); ++i) {
    auto& w = wishes_[i];
    if (!w.sent && chance(0.01)) {
      if (w.words.empty()) draw(w, now_ns / second, jobs, moms);
      w.sent = true;
      submitted_[request] = i;
      return submission(request, w);
    }
    if (w.acknowledged.empty()) continue;
    const auto it = known.reservations().find(known.made_by(w.command_id));
    if (it == known.reservations().end() || !it->second.has_queue() || !it->second.lives()) continue;
    if (w.jobs > 0 && job_for_.empty() && chance(0.02)) {
      --w.jobs;
      job_for_ = it->second.id;
    }
    if (w.changes > 0 && chance(0.005)) {
      --w.changes;
      return change(request, w, now_ns / second);
    }
    if (w.remove && chance(0.002)) {
      removed_[request] = i;
      return schema::make<schema::Request>([&](schema::Request::Builder r) {
        r.setId(request);
        r.initDeleteReservation().setReservation(w.acknowledged);
      });
    }
  }
  return std::nullopt;
}

bool reservation_users::on_reply(schema::Reply::Reader r) {
  if (const auto removed = removed_.find(r.getId()); removed != removed_.end()) {
    wishes_[removed->second].removal_acknowledged |= r.isDone();
    removed_.erase(removed);
    return true;
  }
  const auto at = submitted_.find(r.getId());
  if (at == submitted_.end()) return false;
  auto& w = wishes_[at->second];
  if (r.isReservation()) {
    w.acknowledged = schema::str(r.getReservation().getReservation());
  } else if (const bool about_job = w.what == reserving::from_job || w.what == reserving::as_soon_as_possible;
             about_job && ++w.tries < tries_max) {
    w.sent = false;  // with another job, by another command
    w.words.clear();
    w.command_id = drawn_id();
  } else {
    w.refused = true;
  }
  submitted_.erase(at);
  return true;
}

void reservation_users::link_broken() {
  submitted_.clear();
  removed_.clear();
  for (auto& w : wishes_) w.sent = w.sent && (w.refused || !w.acknowledged.empty());
}

bool reservation_users::done() const {
  for (const auto& w : wishes_)
    if (!w.refused && w.acknowledged.empty()) return false;
  return true;
}

std::string reservation_users::check(const reserved_vnodes& known) const {
  for (const auto& w : wishes_) {
    if (w.acknowledged.empty()) continue;
    const auto serial = known.made_by(w.command_id);
    if (serial == 0) return "the acknowledged reservation " + w.acknowledged + " is not in the log";
    if (known.id_of(serial) != w.acknowledged.substr(0, w.acknowledged.find('.')))
      return "acknowledged as " + w.acknowledged + " but logged as " + known.id_of(serial);
    if (w.removal_acknowledged && !known.was_deleted(serial)) return "the deletion of " + w.acknowledged + " was acknowledged and is lost";
  }
  return "";
}

}  // namespace annals::sim
