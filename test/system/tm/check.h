/* What the programs of this directory share: a check that says where it failed, and tm_poll until an event has come. */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <tm.h>

#define CHECK(true_of)                                                      \
  do {                                                                      \
    if (!(true_of)) {                                                       \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #true_of); \
      exit(99);                                                             \
    }                                                                       \
  } while (0)

/* Its error number. Events may come in any order; these programs wait for one at a time. */
static inline int done(tm_event_t event) {
  tm_event_t told = TM_NULL_EVENT;
  int error = -1;
  CHECK(tm_poll(TM_NULL_EVENT, &told, 1, &error) == TM_SUCCESS);
  CHECK(told == event);
  return error;
}

#endif
