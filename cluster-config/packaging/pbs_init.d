#!/bin/bash
### BEGIN INIT INFO
# Provides:          pbs
# Required-Start:    $network $remote_fs
# Required-Stop:     $network $remote_fs
# Default-Start:     2 3 4 5
# Default-Stop:      0 1 6
# Short-Description: PBS server, scheduler and MoM
### END INIT INFO
#
# usage: pbs_init.d {start|stop|restart|status}
#
# Starts or stops the daemons for which pbs.conf, or the environment, says PBS_START_SERVER, _SCHED, _MOM or _COMM = 1.
# `start` returns when each answers; `status` prints what runs. PBS_START_COMM is accepted: there is no router process
# to start, because the daemons talk directly.
set -uo pipefail

conf_file=${PBS_CONF_FILE:-/etc/pbs.conf}
conf() {   # KEY DEFAULT
  local value=${!1-}
  if [ -z "$value" ] && [ -r "$conf_file" ]; then
    value=$(sed -n "s/^[[:space:]]*$1[[:space:]]*=[[:space:]]*\(.*[^[:space:]]\)[[:space:]]*\$/\1/p" "$conf_file" | tail -n 1)
    value=${value#\"} value=${value%\"}
  fi
  printf '%s' "${value:-$2}"
}

exec_dir=$(conf PBS_EXEC /opt/pbs)
home=$(conf PBS_HOME /var/spool/pbs)
mom_home=$(conf PBS_MOM_HOME "$home")
declare -A lock=([pbs_server]="$home/server_priv/server.lock" [pbs_sched]="$home/sched_priv/sched.lock"
                 [pbs_mom]="$mom_home/mom_priv/mom.lock" [pbs_comm]="$home/server_priv/comm.lock")
stop_deadline_s=60

wanted() {   # DAEMON
  case $1 in
    pbs_server) [ "$(conf PBS_START_SERVER 0)" = 1 ] ;;
    pbs_sched) [ "$(conf PBS_START_SCHED 0)" = 1 ] ;;
    pbs_mom) [ "$(conf PBS_START_MOM 0)" = 1 ] ;;
    pbs_comm) [ "$(conf PBS_START_COMM 0)" = 1 ] ;;
  esac
}

# Prints the pid of the daemon if it runs. A lock file may outlive its daemon, and its pid may then be anybody's.
pid_of() {
  local pid=
  read -r pid 2>/dev/null < "${lock[$1]}" || return 1
  [[ $pid =~ ^[0-9]+$ ]] && [ "$(cat "/proc/$pid/comm" 2>/dev/null)" = "$1" ] && echo "$pid"
}

start_daemon() {
  if pid_of "$1" >/dev/null; then
    echo "PBS ${1#pbs_} already running."
    return 0
  fi
  "$exec_dir/sbin/$1" || { echo "$1 did not start." >&2; return 1; }   # returns when it is ready
  echo "PBS ${1#pbs_}"
}

start() {
  echo "Starting PBS"
  "$exec_dir/libexec/pbs_habitat" || return 1
  local daemon failed=0
  for daemon in pbs_mom pbs_server pbs_sched; do
    if wanted $daemon; then start_daemon $daemon || failed=1; fi
  done
  return $failed
}

stop_daemon() {   # waits until it is gone
  local pid deadline=$((SECONDS + stop_deadline_s))
  pid=$(pid_of "$1") || return 0
  kill -TERM "$pid" 2>/dev/null
  while [ "$(pid_of "$1")" = "$pid" ]; do
    if [ $SECONDS -ge $deadline ]; then
      echo "$1 (pid $pid) does not end" >&2
      return 1
    fi
    sleep 0.05
  done
}

stop() {
  echo "Stopping PBS"
  local daemon failed=0
  for daemon in pbs_sched pbs_server pbs_mom; do
    if wanted $daemon; then stop_daemon $daemon || failed=1; fi
  done
  return $failed
}

# Exit status 0 when all that is wanted runs. The wording is what site tools expect: comm without the word pid.
status() {
  local daemon pid failed=0
  for daemon in pbs_server pbs_mom pbs_sched pbs_comm; do
    wanted $daemon || continue
    if pid=$(pid_of $daemon); then
      if [ $daemon = pbs_comm ]; then echo "pbs_comm is $pid"; else echo "$daemon is pid $pid"; fi
    elif [ $daemon != pbs_comm ]; then
      echo "$daemon is not running"
      failed=1
    fi
  done
  return $failed
}

case "${1:-}" in
  start) start ;;
  stop) stop ;;
  restart) stop && start ;;
  status) status ;;
  *) echo "usage: $(basename "$0") {start|stop|restart|status}" >&2; exit 1 ;;
esac
