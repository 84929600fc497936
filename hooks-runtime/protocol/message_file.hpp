// Messages of hook.capnp in files: as JSON, which people write and read, or as the bytes that an event keeps.
#pragma once

#include <capnp/compat/json.h>

#include <optional>
#include <string>

#include "events/schema/message.hpp"

namespace annals::hooks {

struct file_trouble {
  std::string why;
};  // "no such file ..."

std::string file_contents(const std::string& path);  // "-" is standard input; throws file_trouble

// JSON if the first byte that is no blank is a brace. Throws file_trouble when it is no T.
template <class T>
schema::sealed<T> read_message(const std::string& path) {
  const std::string text = file_contents(path);
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && text[first] != '{') {
    auto message = schema::sealed_message::from_bytes(std::as_bytes(std::span(text)));
    if (!message) throw file_trouble{path + ": neither JSON nor a recorded message"};
    return schema::sealed<T>(std::move(*message));
  }
  capnp::JsonCodec json;
  json.handleByAnnotation<T>();
  capnp::MallocMessageBuilder builder;
  try {
    json.decode(kj::arrayPtr(text.data(), text.size()), builder.initRoot<T>());
  } catch (const kj::Exception& e) {
    throw file_trouble{path + ": " + e.getDescription().cStr()};
  }
  return schema::sealed<T>(schema::sealed_message::from_builder(builder));
}

template <class T>
std::string json_of(typename T::Reader message) {
  capnp::JsonCodec json;
  json.handleByAnnotation<T>();
  json.setPrettyPrint(true);
  const auto text = json.encode(message);
  return std::string(text.begin(), text.size());
}

}  // namespace annals::hooks
