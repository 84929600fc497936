/* pbs_connect, pbs_connect_extend, pbs_query_max_connections, pbs_disconnect, pbs_default, pbs_geterrmsg, and pbs_errno and pbs_server of
 * each thread. */
#include "check.h"

#include <pthread.h>
#include <sys/resource.h>

extern char* pbs_server; /* as programs declare it that were written for the manual */

static void* fails_elsewhere(void* unused) {
  (void)unused;
  CHECK(pbs_server == NULL);
  CHECK(pbs_connect("no-such-host.invalid") == -1);
  CHECK(pbs_errno != 0);
  CHECK(strcmp(pbs_server, "no-such-host.invalid") == 0); /* it tried */
  return NULL;
}

/* The connections that this process may have are its descriptors. */
static void may_have_many(void) {
  struct rlimit files = {100, 100};
  CHECK(setrlimit(RLIMIT_NOFILE, &files) == 0);
  CHECK(pbs_query_max_connections() == 100);
}

int main(void) {
  pthread_t other;
  int a = connected(), b = connected();
  CHECK(a != b);
  CHECK(pbs_default() && *pbs_default());
  CHECK(strcmp(pbs_server, pbs_default()) == 0);
  CHECK(pbs_deljob(a, "99999", NULL) == PBSE_UNKJOBID);
  CHECK(pbs_errno == PBSE_UNKJOBID);
  CHECK(strcmp(pbs_geterrmsg(a), "Unknown Job Id") == 0);
  CHECK(pbs_holdjob(a, "no id", "x", NULL) == PBSE_UNKJOBID && strcmp(pbs_geterrmsg(a), "Unknown Job Id") == 0);
  CHECK(pbs_holdjob(a, "99999", "x", NULL) == PBSE_IVALREQ && strcmp(pbs_geterrmsg(a), "Invalid request") == 0);
  CHECK(pbs_geterrmsg(b) == NULL); /* an error belongs to its connection */
  pbs_errno = 0;
  CHECK(pthread_create(&other, NULL, fails_elsewhere, NULL) == 0);
  CHECK(pthread_join(other, NULL) == 0);
  CHECK(pbs_errno == 0); /* and the number to its thread */
  CHECK(strcmp(pbs_server, pbs_default()) == 0);
  CHECK(pbs_disconnect(a) == 0);
  CHECK(pbs_disconnect(a) == -1);
  CHECK(pbs_deljob(a, "1", NULL) != 0);
  CHECK(pbs_disconnect(b) == 0);
  a = pbs_connect_extend(NULL, NULL);
  CHECK(a > 0 && pbs_disconnect(a) == 0);
  a = pbs_connect_extend(pbs_default(), "");
  CHECK(a > 0 && pbs_disconnect(a) == 0);
  CHECK(pbs_connect_extend(NULL, "something") == -1 && pbs_errno == PBSE_NOSUP);
  may_have_many();
  return 0;
}
