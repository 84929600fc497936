// Which mails were sent: a mark of two slots, and a file for each mail that is about to be.
//
// A mail's file is there from before its mailer is started until the mailer has begun: the child that becomes the mailer removes it
// first, and holds a lock on it meanwhile. So after a kill of the server the file says whether the mail went out, whatever became of
// the mailer; and a mail is begun once. Only when the whole host dies it is unknown what its mailers did: what was not known to be done
// then is sent again.
#pragma once

#include <filesystem>
#include <set>
#include <string>

#include "projections/mail/mail.hpp"

namespace annals::projections {

// One state of the mark: a line
//   "annals-mail 1 <generation> <log> <boot> <done> <number> <begun> <number> <16 hex digits: SHA-256 of what stands before>\n"
// filled up with blanks to 512 bytes.
struct mail_mark {
  std::uint64_t generation = 0;  // the newer of two marks counts
  std::string log, boot;         // which log; which life of the host; a word each
  mail_place done, begun;        // every mail before it
  bool operator==(const mail_mark&) const = default;
};
constexpr std::size_t mail_slot_bytes = 512;
std::string print(const mail_mark& m);
// Of the slots of a mark; a generation of 0: none is sound.
mail_mark newest_mail_mark(std::string_view slots);

class mail_spool {
 public:
  // `directory` is made. Without a mark of this log nothing before `first` is ever sent. Throws std::runtime_error.
  mail_spool(std::filesystem::path directory, const std::string& log, const std::string& boot, mail_place first);
  ~mail_spool();
  mail_spool(const mail_spool&) = delete;
  mail_spool& operator=(const mail_spool&) = delete;

  // What is to be folded with its mails.
  mail_place first_open() const { return mark_.done; }
  bool owes(const mail_place& place) const { return !(place < mark_.begun) || left_.contains(place); }

  std::filesystem::path file_of(const mail_place& place) const;
  // Before a mailer is started: its mail's file, then the mark that says so. False: the disk takes no more, why() says it.
  bool begin(const mail& m, const mail_place& next);
  // Every mail before it is done. Nothing is written for it until the next begin() or sync().
  void done(const mail_place& open, const mail_place& next);
  bool behind() const { return unsynced_; }
  bool sync();
  const std::string& why() const { return why_; }

 private:
  bool keep();
  bool fail(const std::string& what);
  void find_left();

  const std::filesystem::path directory_;
  int mark_fd_ = -1;
  mail_mark mark_;
  std::set<mail_place> left_;  // begun, and their mailers never were
  bool unsynced_ = false;
  std::string why_;
};

}  // namespace annals::projections
