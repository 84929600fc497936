// Limits of mail, with their reasons.
#pragma once

#include <chrono>
#include <cstddef>

namespace annals::actors::mail_limits {

// A mailer takes some milliseconds of a cpu, and may wait for a name service: enough go on at once to keep `per_second` up when each
// takes a fifth of a second, and too few to be felt by the server they run beside.
constexpr std::size_t mailers_at_once = 10;
// A million jobs a day that mail when they begin and end cause 25 in a second. What comes faster, such as an administrator's qdel of
// everything, waits its turn: it would be taken for an attack by the mail host.
constexpr std::size_t per_second = 50;
// Mails that wait are kept in memory up to here; then the log keeps them, and reading goes on when half of them are gone.
constexpr std::size_t waiting = 1000;
// A mailer that queues the mail, as sendmail does, is done in a moment. One that is not hangs, and is killed.
constexpr std::chrono::seconds mailer_time{60};
// Trouble with mailers is told of once in such a time, with how many mails it met.
constexpr std::chrono::seconds between_notes{60};
// The mark is made durable at most so often. A host that dies sends again what it sent since.
constexpr std::chrono::seconds between_syncs{1};

}  // namespace annals::actors::mail_limits
