#include "actors/mom/host/copy_requests.hpp"

namespace annals::mom {
namespace {

user_request request_of(const account& user, const std::string& jobdir) {
  user_request r;
  r.change_user = user.change_user;
  r.uid = user.uid;
  r.gid = user.gid;
  r.groups = user.groups;
  r.user = user.name;
  r.home = user.home;
  r.jobdir = jobdir;
  return r;
}

void set_copying(user_request& r, const copy_settings& how, const std::string& lock) {
  r.cp = how.cp;
  r.scp = how.scp;
  r.pauses_s.assign(how.pauses_s.begin(), how.pauses_s.end());
  r.copying_s = how.seconds_max;
  r.lock = lock;
}

void add_stages(user_request& r, stage_task::kind what, const std::vector<ports::staged_file>& files) {
  for (const auto& f : files) r.stages.push_back({what, f.here, f.host, f.there, f.local});
}

std::string jobdir_of(const account& user, const ports::stage_in_order& order) {
  if (order.private_jobdir.empty()) return user.home;
  return (order.jobdir.empty() ? user.home : order.jobdir) + '/' + order.private_jobdir;
}

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

user_request stage_in_request(const copy_settings& how, const account& user, const ports::stage_in_order& order, const std::string& lock) {
  auto r = request_of(user, jobdir_of(user, order));
  set_copying(r, how, lock);
  if (!order.private_jobdir.empty()) r.directories.push_back(r.jobdir);
  add_stages(r, stage_task::kind::in, order.files);
  return r;
}

user_request unstage_request(const account& user, const ports::stage_in_order& order) {
  auto r = request_of(user, jobdir_of(user, order));
  if (!order.private_jobdir.empty()) r.removals.push_back(r.jobdir);
  else add_stages(r, stage_task::kind::drop, order.files);
  return r;
}

user_request delivery_request(const copy_settings& how, const account& user, const ports::delivery_order& order,
                              const std::string& jobdir, const std::string& lock) {
  auto r = request_of(user, jobdir.empty() ? user.home : jobdir);
  set_copying(r, how, lock);
  for (const auto& d : order.files) {
    copy_task task;
    task.from = d.from.starts_with('/') ? d.from : r.jobdir + '/' + d.from;
    task.to_host = d.to_host;
    task.to_path = d.to_path.starts_with('/') || !d.local ? d.to_path : user.home + '/' + d.to_path;
    task.retained = how.undelivered + '/' + base_name(d.from);
    task.local = d.local;
    if (d.shared)
      task.record = {.path = d.shared->path.starts_with('/') ? d.shared->path : user.home + '/' + d.shared->path,
                     .inner = d.shared->inner,
                     .host = d.shared->host,
                     .record = d.shared->record};
    r.copies.push_back(std::move(task));
  }
  add_stages(r, stage_task::kind::out, order.out);
  add_stages(r, stage_task::kind::drop, order.used);
  return r;
}

}  // namespace annals::mom
