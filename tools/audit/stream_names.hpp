// What a stream is about: the job's id, the queue's name. Known from the stream's first event, which is looked up once.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "events/log/log_reader.hpp"

namespace annals::audit {

struct stream_subject {
  std::string name;   // "12.borg", "workq", "n1", "12.borg.1" for a run; "server"
  std::string owner;  // of a job: alice@front
};

// Of a stream's first record.
stream_subject subject_of(const log::record& first);

class stream_names {
 public:
  explicit stream_names(const log::log_reader& reader) : reader_(reader) {}
  // Never fails: a stream whose beginning can't be read is named by its serial.
  const stream_subject& of(const log::record& record);
  void learn(const log::record& first);  // spares the look-up of a stream that begins with this record

 private:
  const log::log_reader& reader_;
  std::unordered_map<std::uint64_t, stream_subject> known_;
};

}  // namespace annals::audit
