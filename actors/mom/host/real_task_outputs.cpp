#include "actors/mom/host/real_task_outputs.hpp"

#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <mutex>
#include <optional>
#include <set>

#include "actors/mom/host/event_loop.hpp"

namespace annals::mom {

std::string task_output_file(const std::string& pbs_home, const values::program_key& key, bool errors) {
  return pbs_home + "/spool/" + print(key) + (errors ? ".ER" : ".OU");
}

class real_task_outputs::impl {
 public:
  impl(std::string pbs_home, event_loop::complaint complain, const name_service& names)
      : home_(std::move(pbs_home)), complain_(std::move(complain)), accounts_(names) {}
  ~impl() {
    if (loop_) loop_->stop();
    if (inotify_ >= 0) close(inotify_);
  }

  void listen(std::function<void(const values::task_key&)> grown) {
    const std::lock_guard lock(mutex_);
    grown_ = std::move(grown);
  }

  void follow(const values::task_key& key, const std::string& user) {
    const std::lock_guard lock(mutex_);
    followed_[key].user = user;
    look_up(followed_[key]);
    if (!begin()) return;
    for (const bool errors : {false, true})
      if (const int watch = inotify_add_watch(inotify_, file(key, errors).c_str(), IN_MODIFY | IN_DONT_FOLLOW); watch >= 0) {
        watches_[watch] = key;
        followed_[key].watches.insert(watch);
      }
  }

  std::optional<std::string> read(const values::task_key& key, bool errors, std::uint64_t offset, std::size_t most) {
    const auto owner = owner_of(key);
    const int fd = open(file(key, errors).c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return errno == EMFILE || errno == ENFILE || errno == ENOMEM ? std::nullopt : std::optional(std::string());
    std::string bytes;
    struct stat st {};
    if (!owner.ask_again && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == owner.uid) {
      const auto size = static_cast<std::uint64_t>(st.st_size);
      bytes.resize(std::min<std::uint64_t>(most, size > offset ? size - offset : 0));
      const auto n = pread(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
      bytes.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
    }
    close(fd);
    return owner.ask_again ? std::nullopt : std::optional(std::move(bytes));
  }

  void remove(const values::task_key& key) {
    const std::lock_guard lock(mutex_);
    for (const bool errors : {false, true}) unlink(file(key, errors).c_str());
    const auto at = followed_.find(key);
    if (at == followed_.end()) return;
    for (const int watch : at->second.watches) {
      inotify_rm_watch(inotify_, watch);
      watches_.erase(watch);
    }
    followed_.erase(at);
    told_.erase(key);
  }

 private:
  // With the first task: a machine has few inotify instances, and most MoMs of a test cluster never see a task. Where the
  // kernel has none, or no more watches, files are still read every few seconds and at their task's end.
  bool begin() {
    if (loop_) return true;
    if (inotify_ < 0) inotify_ = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (inotify_ < 0) return false;
    loop_ = std::make_unique<event_loop>("loop.outputs", complain_);
    loop_->post([this] { loop_->watch(inotify_, [this] { read_inotify(); }); });
    return true;
  }

  struct owner {
    std::optional<std::uint32_t> uid;
    bool ask_again = false;  // the name service could not say
  };
  struct followed {
    std::string user;
    owner who;
    std::set<int> watches;
  };
  // Again each time until it is known.
  const owner& look_up(followed& f) {
    if (f.who.uid) return f.who;
    const auto found = accounts_.find(f.user, {});
    if (const auto* who = std::get_if<account>(&found)) f.who = {who->uid, false};
    else f.who.ask_again = std::get<no_account>(found).ask_again;
    return f.who;
  }
  // Of a task whose files are read now.
  owner owner_of(const values::task_key& key) {
    const std::lock_guard lock(mutex_);
    told_.erase(key);
    const auto at = followed_.find(key);
    return at == followed_.end() ? owner{} : look_up(at->second);
  }
  std::string file(const values::task_key& key, bool errors) const { return task_output_file(home_, key, errors); }

  // A task that writes a line at a time is told of once until its files are read.
  void read_inotify() {
    alignas(inotify_event) char buffer[16384];
    std::set<values::task_key> grown;
    std::function<void(const values::task_key&)> tell;
    {
      const std::lock_guard lock(mutex_);
      for (ssize_t n; (n = ::read(inotify_, buffer, sizeof buffer)) > 0;)
        for (const char* at = buffer; at < buffer + n;) {
          const auto* const e = reinterpret_cast<const inotify_event*>(at);
          if (e->mask & IN_Q_OVERFLOW)
            for (const auto& [key, f] : followed_) grown.insert(key);
          if (const auto watch = watches_.find(e->wd); watch != watches_.end() && told_.insert(watch->second).second)
            grown.insert(watch->second);
          at += sizeof(inotify_event) + e->len;
        }
      tell = grown_;
    }
    if (tell)
      for (const auto& key : grown) tell(key);
  }

  const std::string home_;
  const event_loop::complaint complain_;
  std::mutex mutex_;  // of all below
  accounts accounts_;
  std::map<values::task_key, followed> followed_;  // by key
  std::map<int, values::task_key> watches_;
  std::set<values::task_key> told_;  // grown since they were read
  std::function<void(const values::task_key&)> grown_;
  int inotify_ = -1;
  std::unique_ptr<event_loop> loop_;
};

real_task_outputs::real_task_outputs(std::string pbs_home, event_loop::complaint complain, const name_service& names)
    : impl_(std::make_unique<impl>(std::move(pbs_home), std::move(complain), names)) {}
real_task_outputs::~real_task_outputs() = default;
void real_task_outputs::listen(std::function<void(const values::task_key&)> grown) { impl_->listen(std::move(grown)); }
void real_task_outputs::follow(const values::task_key& key, const std::string& user) { impl_->follow(key, user); }
std::optional<std::string> real_task_outputs::read(const values::task_key& key, bool errors, std::uint64_t offset, std::size_t most) {
  return impl_->read(key, errors, offset, most);
}
void real_task_outputs::remove(const values::task_key& key) { impl_->remove(key); }

}  // namespace annals::mom
