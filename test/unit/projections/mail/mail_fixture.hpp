// What the tests of mail share: mails as a mailer of a PBS got them.
#pragma once

#include <string>
#include <vector>

#include "projections/mail/mail_text.hpp"
#include "projections/mail/mails.hpp"
#include "test/unit/projections/accounting/accounting_fixture.hpp"

namespace annals::test {

inline projections::mails::history_reader history_of(const log::memory_event_store& store) {
  return [reader = log::log_reader(store)](std::uint64_t stream, std::uint64_t end, const projections::mails::visitor& visit) {
    BOOST_REQUIRE(reader.read_stream(stream, 1, [&](const log::record_ptr& r) {
      if (r->sequence() < end) visit(*r);
      return r->sequence() < end;
    }));
  };
}

inline std::vector<projections::mail> mails_of_log(const std::vector<log::record_ptr>& records,
                                                   const projections::mails::history_reader& history = {}) {
  std::vector<projections::mail> all;
  projections::mails fold(history);
  for (const auto& r : records) fold.fold(*r, [&](projections::mail m) { all.push_back(std::move(m)); });
  return all;
}

// The bodies only, without what each begins with.
inline std::vector<std::string> bodies_of(const std::vector<projections::mail>& all) {
  std::vector<std::string> bodies;
  for (const auto& m : all) {
    auto body = m.text.substr(m.text.find("\n\n") + 2);
    for (int line = 0; line < 2; ++line) body = body.substr(body.find('\n') + 1);
    body.pop_back();
    bodies.push_back(std::move(body));
  }
  return bodies;
}

}  // namespace annals::test
