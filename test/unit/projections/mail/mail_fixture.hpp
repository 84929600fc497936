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

// A fold that is stored and restored before each record has the same mails.
inline std::vector<projections::mail> mails_of_log(const std::vector<log::record_ptr>& records,
                                                   const projections::mails::history_reader& history = {}) {
  std::vector<projections::mail> all;
  std::vector<std::string> texts, texts_of_restored;
  projections::mails fold(history);
  for (const auto& r : records) {
    projections::mails restored(history);
    stored::restore_whole(stored_bytes(fold), restored);
    restored.fold(
        *r, [&](const projections::mail& m) { texts_of_restored.push_back(m.about + m.mailer + m.from + m.mailer_by + m.to + m.text); });
    fold.fold(*r, [&](projections::mail m) {
      texts.push_back(m.about + m.mailer + m.from + m.mailer_by + m.to + m.text);
      all.push_back(std::move(m));
    });
    BOOST_REQUIRE((stored_bytes(restored) == stored_bytes(fold)));
  }
  BOOST_TEST(texts_of_restored == texts, boost::test_tools::per_element());
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
