/* Loaded into a program, it sets its clock: the time of day and so many seconds more as the first eight bytes of MOVED_CLOCK_FILE say,
 * whenever they are changed. Other clocks are as they are. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile const int64_t* ahead_s;

__attribute__((constructor)) static void look(void) {
  const int fd = open(MOVED_CLOCK_FILE, O_RDONLY | O_CLOEXEC);
  void* there = fd < 0 ? MAP_FAILED : mmap(NULL, sizeof *ahead_s, PROT_READ, MAP_SHARED, fd, 0);
  if (fd >= 0) close(fd);
  if (there != MAP_FAILED) ahead_s = there;
}

int clock_gettime(clockid_t which, struct timespec* to) {
  const int failed = (int)syscall(SYS_clock_gettime, which, to);
  if (failed == 0 && which == CLOCK_REALTIME && ahead_s) to->tv_sec += *ahead_s;
  return failed;
}

time_t time(time_t* to) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (to) *to = now.tv_sec;
  return now.tv_sec;
}

int gettimeofday(struct timeval* restrict to, void* restrict zone) {
  struct timespec now;
  (void)zone;
  clock_gettime(CLOCK_REALTIME, &now);
  to->tv_sec = now.tv_sec;
  to->tv_usec = now.tv_nsec / 1000;
  return 0;
}
