#include "actors/runtime/mark_keeper.hpp"

#include <chrono>
#include <exception>
#include <utility>

#include "events/model/limits.hpp"

namespace annals::actors {

namespace {
using again_atom = caf::atom_constant<caf::atom("again")>;
}

mark_keeper::mark_keeper(mark_keeper_parts parts) : parts_(std::move(parts)) {
  reached_.log = parts_.log;
  doubted_ = parts_.doubted;
}

void mark_keeper::trust() {
  const std::lock_guard held(guard_);
  doubted_ = false;
}

void mark_keeper::replayed(const log::record& r) {
  const std::lock_guard held(guard_);
  log::advance(reached_, r);
}

void mark_keeper::restore(stored::reader& from) {
  const std::lock_guard held(guard_);
  from(reached_);
  reached_.log = parts_.log;
}

void mark_keeper::empty() {
  const std::lock_guard held(guard_);
  reached_ = {};
  reached_.log = parts_.log;
}

void mark_keeper::follow(const records_ptr& records) {
  const std::lock_guard held(guard_);
  for (const auto& r : *records) {
    if (r->sequence() <= reached_.sequence) continue;
    log::advance(reached_, *r);
    last_ = r;
  }
}

bool mark_keeper::write_all() {
  const std::lock_guard held(guard_);
  const auto read = log::log_reader(*parts_.store).read(reached_.sequence, [&](const log::record_ptr& r) {
    if (r->sequence() > reached_.sequence) log::advance(reached_, *r);
    last_ = r;
    return true;
  });
  if (!read && parts_.note) parts_.note(read.text);
  return read && last_ && keep();
}

bool mark_keeper::write() {
  const std::lock_guard held(guard_);
  return keep();
}

bool mark_keeper::keep() {
  if (last_) reached_.head = last_->hash();
  if (reached_ == written_ && doubted_ == written_doubted_) return true;
  try {
    log::keep_mark_file(parts_.file, reached_, doubted_);
    written_ = reached_;
    written_doubted_ = doubted_;
    if (trouble_ && parts_.note) parts_.note("the mark of the log is written again");
    trouble_ = false;
  } catch (const std::exception& e) {
    if (!trouble_ && parts_.note)
      parts_.note(std::string("the mark of the log: ") + e.what() + "; a loss of the log's end would not be noticed");
    trouble_ = true;
  }
  return !trouble_;
}

log::log_mark mark_keeper::mark() const {
  const std::lock_guard held(guard_);
  return written_;
}

caf::behavior mark_actor(caf::event_based_actor* self, std::shared_ptr<mark_keeper> keeper,
                         std::function<void(const log::log_mark&)> told) {
  auto will_try_again = std::make_shared<bool>(false);
  const auto write = [=] {
    if (keeper->write()) {
      if (told) told(keeper->mark());
    } else if (!std::exchange(*will_try_again, true)) {
      self->delayed_send(self, std::chrono::seconds(limits::log_mark_s), again_atom::value);
    }
  };
  return {
      [=](mark_due) { write(); },
      [=](again_atom) {
        *will_try_again = false;
        write();
      },
  };
}

}  // namespace annals::actors
