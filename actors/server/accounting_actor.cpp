#include "actors/server/accounting_actor.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace annals::actors {

namespace {

using sync_atom = caf::atom_constant<caf::atom("sync")>;
using projections::accounting_files;

// Lines are durable after at most this time; more often would make the log's own syncs wait for the disk.
constexpr std::chrono::seconds sync_interval{1};

// Names a log: its first record's chain hash, as hex.
std::string name_of_log(const log::record& first) {
  std::string name;
  const auto hash = first.hash();
  for (std::size_t i = 0; i < 16; ++i) {
    constexpr char digits[] = "0123456789abcdef";
    const auto byte = std::to_integer<unsigned>(hash[i]);
    name += digits[byte >> 4];
    name += digits[byte & 15];
  }
  return name;
}

// One line for the daemon's log.
std::string differences_text(const std::vector<std::string>& all) {
  constexpr std::size_t named_max = 8;
  std::string text = "accounting: files are not as they were written: ";
  for (std::size_t i = 0; i < std::min(all.size(), named_max); ++i) text += (i > 0 ? "; " : "") + all[i];
  if (all.size() > named_max) text += "; and " + std::to_string(all.size() - named_max) + " more";
  return text + "; run `pbs_audit accounting --check`";
}

}  // namespace

accounting_follower::accounting_follower(accounting_parts parts)
    : parts_(std::move(parts)), reader_(*parts_.store), fold_(new_fold()) {}

projections::accounting accounting_follower::new_fold() const {
  return projections::accounting([reader = reader_](std::uint64_t stream, std::uint64_t before,
                                                    const projections::accounting::visitor& visit) {
    const auto read = reader.read_stream(stream, 1, [&](const log::record_ptr& r) {
      if (r->sequence() >= before) return false;
      visit(*r);
      return true;
    });
    if (!read) throw std::runtime_error(read.text);
  });
}

void accounting_follower::begin(const log::record& first) {
  files_.emplace(parts_.directory, parts_.checkpoint, name_of_log(first));
  if (const auto& all = files_->differences(); !all.empty() && parts_.note) parts_.note(differences_text(all));
}

void accounting_follower::replayed(const log::record& record) {
  if (!files_) begin(record);
  if (!trouble_) fold(record);
}

void accounting_follower::restore(stored::reader& from) {
  fold_.restore(from);
  const auto read = reader_.read(1, [this](const log::record_ptr& first) {
    begin(*first);
    return false;
  });
  if (!read) throw std::runtime_error(read.text);
  if (!files_ || files_->checkpoint_sequence() < fold_.sequence()) trouble_ = lost_ = true;
}

void accounting_follower::empty() {
  files_.reset();
  fold_ = new_fold();
  trouble_ = lost_ = false;
}

// False: the disk takes no more; the record is folded all the same.
bool accounting_follower::fold(const log::record& record) {
  if (record.sequence() <= files_->checkpoint_sequence()) {
    fold_.learn(record);
    return true;
  }
  fold_.fold(record, [this](std::int64_t wall_s, std::string_view line) { files_->add(wall_s, line); });
  files_->reached(record.sequence());
  return files_->waiting_bytes() < accounting_files::piece_bytes || settled(files_->write());
}

void accounting_follower::follow(const records_ptr& records) {
  if (trouble_) {
    sync();
    if (trouble_) return;
  }
  if (records->empty()) return;
  try {
    if (records->front()->sequence() > fold_.sequence() + 1) catch_up();
    for (const auto& r : *records)
      if (!trouble_ && r->sequence() > fold_.sequence()) {
        if (!files_) begin(*r);
        fold(*r);
      }
    if (!trouble_) settled(files_->write());
  } catch (const std::exception& e) {
    give_up(e);
  }
}

// Until the next try.
void accounting_follower::give_up(const std::exception& why) {
  tell(std::string("accounting: ") + why.what());
  trouble_ = lost_ = true;
}

// What was committed while nothing could be written.
void accounting_follower::catch_up() {
  const auto read = reader_.read(fold_.sequence() + 1, [this](const log::record_ptr& r) {
    if (!files_) begin(*r);
    return fold(*r);
  });
  if (!read) throw std::runtime_error(read.text);
}

void accounting_follower::sync() {
  try {
    const bool was_stopped = trouble_;
    if (lost_) {
      files_.reset();
      fold_ = new_fold();
      catch_up();
      lost_ = false;
    }
    if (files_ && settled(files_->sync()) && was_stopped) catch_up();
  } catch (const std::exception& e) {
    give_up(e);
  }
}

void accounting_follower::tell(const std::string& trouble) {
  if (!std::exchange(told_, true) && parts_.note) parts_.note(trouble);
}

// Keeps track of trouble; tells of it once. True: all is well.
bool accounting_follower::settled(accounting_files::result r) {
  const bool fine = r == accounting_files::result::done;
  if (!fine) tell(files_->why());
  else if (std::exchange(told_, false) && parts_.note) parts_.note("accounting: written again");
  trouble_ = !fine;
  lost_ |= r == accounting_files::result::sync_failed;
  return fine;
}

std::shared_ptr<accounting_follower> make_accounting(accounting_parts parts) {
  return std::make_shared<accounting_follower>(std::move(parts));
}

caf::behavior accounting_actor(caf::event_based_actor* self, std::shared_ptr<accounting_follower> follower) {
  auto timer_runs = std::make_shared<bool>(false);
  const auto wait = [self, follower, timer_runs] {
    if (*timer_runs || !follower->behind()) return;
    *timer_runs = true;
    self->delayed_send(self, sync_interval, sync_atom::value);
  };
  return {
      [=](const committed& c) {
        follower->follow(c.records);
        wait();
      },
      [=](const disk_state& d) {
        if (!d.full) follower->sync();
        wait();
      },
      [=](sync_atom) {
        *timer_runs = false;
        follower->sync();
        wait();
      },
  };
}

}  // namespace annals::actors
