// The programs that send mail, as the mail actor needs them.
#pragma once

#include <functional>
#include <string>

#include "projections/mail/mail.hpp"

namespace annals::actors {

class mailers {
 public:
  virtual ~mailers() = default;
  // Starts the mail's mailer with this file as its input; who is started removes the file before the mailer begins. Does not wait.
  // `over` is called once, from any thread: with why the mail was not taken, or with nothing.
  virtual void begin(const projections::mail& m, const std::string& file, std::function<void(std::string why)> over) = 0;
};

}  // namespace annals::actors
