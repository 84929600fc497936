# One imported target per third-party library. Each is linked privately by the folder that is its door.

find_path(CAF_INCLUDE_DIR caf/actor_system.hpp REQUIRED)   # Debian ships no CMake or pkg-config file for CAF
find_library(CAF_CORE_LIBRARY caf_core REQUIRED)
add_library(caf::core UNKNOWN IMPORTED)
set_target_properties(caf::core PROPERTIES IMPORTED_LOCATION ${CAF_CORE_LIBRARY}
                      INTERFACE_INCLUDE_DIRECTORIES ${CAF_INCLUDE_DIR})

find_path(ICAL_INCLUDE_DIR libical/ical.h REQUIRED)   # Debian's CMake file of libical wants those of GLib as well
find_library(ICAL_LIBRARY ical REQUIRED)
add_library(LibIcal::ical UNKNOWN IMPORTED)
set_target_properties(LibIcal::ical PROPERTIES IMPORTED_LOCATION ${ICAL_LIBRARY}
                      INTERFACE_INCLUDE_DIRECTORIES ${ICAL_INCLUDE_DIR})

# Static where Debian's archives are, as a command's start is mostly the loading of shared libraries (tools/commands).
find_path(EDIT_INCLUDE_DIR histedit.h REQUIRED)
find_library(EDIT_LIBRARY NAMES libedit.a edit REQUIRED)
add_library(edit::edit INTERFACE IMPORTED)
set_target_properties(edit::edit PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${EDIT_INCLUDE_DIR} INTERFACE_LINK_LIBRARIES ${EDIT_LIBRARY})
if(EDIT_LIBRARY MATCHES "\\.a$")
  foreach(library tinfo bsd md)
    find_library(EDIT_${library}_LIBRARY NAMES lib${library}.a ${library} REQUIRED)
    target_link_libraries(edit::edit INTERFACE ${EDIT_${library}_LIBRARY})
  endforeach()
endif()

find_package(Threads REQUIRED)
find_package(CapnProto REQUIRED)
find_package(RocksDB REQUIRED)          # RocksDB::rocksdb-shared, or the static RocksDB::rocksdb for daemons that start quickly (events/log)
find_package(OpenSSL REQUIRED)
find_package(Boost 1.74 REQUIRED)
find_package(spdlog REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(SQLite3 REQUIRED)         # targets of pbs_export: tools/export
find_package(PostgreSQL REQUIRED)
find_package(ZLIB REQUIRED)
set(Python3_EXECUTABLE /usr/bin/python3)   # a python of one's own on PATH has other headers
find_package(Python3 3.11 REQUIRED COMPONENTS Interpreter Development.Embed)
if(ANNALS_TESTS)
  find_package(Boost 1.74 REQUIRED COMPONENTS unit_test_framework)
endif()
