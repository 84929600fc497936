/* What the C programs of these tests share: a check that says where it failed, and lists of attributes. */
#ifndef CHECK_H
#define CHECK_H

#include <pbs_error.h>
#include <pbs_ifl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                        \
  do {                                                                                          \
    if (!(condition)) {                                                                         \
      fprintf(stderr, "%s:%d: %s (pbs_errno %d)\n", __FILE__, __LINE__, #condition, pbs_errno); \
      exit(1);                                                                                  \
    }                                                                                           \
  } while (0)

static inline int connected(void) {
  int c = pbs_connect(NULL);
  CHECK(c > 0);
  return c;
}

/* The value of an attribute of an object; null: it has none. */
static inline const char* value_of(const struct batch_status* object, const char* name, const char* resource) {
  const struct attrl* a;
  for (a = object->attribs; a; a = a->next)
    if (strcmp(a->name, name) == 0 && (resource ? a->resource && strcmp(a->resource, resource) == 0 : !a->resource)) return a->value;
  return NULL;
}

static inline int count(const struct batch_status* list) {
  int n = 0;
  for (; list; list = list->next) ++n;
  return n;
}

#endif
