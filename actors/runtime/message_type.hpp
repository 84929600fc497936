// Declares types as messages between the actors of one process. Such messages carry pointers and never leave the process.
//
// CAF makes a mailbox element out of templates for each type of message. They cost the compiler 0.2 s a type and a user, so they are
// compiled once: a header lists its messages in a macro and declares each with ANNALS_MESSAGE, one source of the same library
// compiles each with ANNALS_MESSAGE_COMPILED:
//
//   #define ANNALS_MY_MESSAGES(MESSAGE) MESSAGE(annals::actors::first) MESSAGE(annals::actors::second)
//   ANNALS_MY_MESSAGES(ANNALS_MESSAGE)            // in the header, outside of namespaces
//   ANNALS_MY_MESSAGES(ANNALS_MESSAGE_COMPILED)   // in the source
//
// actors/server/messages.hpp is an example. A message without its source is an undefined reference for the linker.
#pragma once

#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/message.hpp>

// mailbox_element_vals as a whole does not compile: one of its members, which nobody calls, has an error.
#define ANNALS_MESSAGE_TEMPLATES(prefix, type)                                             \
  prefix template class caf::detail::tuple_vals_impl<caf::type_erased_tuple, type>;        \
  prefix template class caf::detail::tuple_vals_impl<caf::detail::message_data, type>;     \
  prefix template class caf::detail::tuple_vals<type>;                                     \
  prefix template caf::message caf::mailbox_element_vals<type>::move_content_to_message(); \
  prefix template caf::message caf::mailbox_element_vals<type>::copy_content_to_message() const;

#define ANNALS_MESSAGE(type)          \
  CAF_ALLOW_UNSAFE_MESSAGE_TYPE(type) \
  ANNALS_MESSAGE_TEMPLATES(extern, type)

#define ANNALS_MESSAGE_COMPILED(type) ANNALS_MESSAGE_TEMPLATES(, type)
