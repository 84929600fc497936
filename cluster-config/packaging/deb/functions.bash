# What the maintainer scripts share: docs/design/0060-packages.md. They know by $package, $part (server, mom or nothing) and $units whose they are.
exec_dir=@prefix@ conf_file=/etc/pbs.conf
made=/var/lib/annals/pbs.conf.sha256      # of pbs.conf as a package wrote it: who has edited it since keeps it
stopped=/run/annals/$package.stopped      # what an upgrade stopped, and starts again

# Variables of the shell that runs dpkg would win over pbs.conf. PBS_SERVER is for the first installation, as with packages of PBS.
asked_server=${PBS_SERVER-}
unset "${!PBS_@}"

say() { echo "$package: $*"; }

conf() {   # KEY: its value in pbs.conf
  local value
  value=$(sed -n "s/^[[:space:]]*$1[[:space:]]*=[[:space:]]*\(.*[^[:space:]]\)[[:space:]]*\$/\1/p" "$conf_file" 2>/dev/null | tail -n 1) || true
  value=${value#\"} value=${value%\"}
  printf '%s' "$value"
}

systemd_runs() { [ -d /run/systemd/system ]; }

# ---- pbs.conf

here() {   # PACKAGE: installed, or unpacked to be configured by the same dpkg
  local status
  status=$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null) || return 1
  case $status in installed|unpacked|half-configured|triggers-*) ;; *) return 1 ;; esac
}

conf_is_untouched() {
  [ ! -L "$conf_file" ] && [ -f "$conf_file" ] && [ "$(sha256sum < "$conf_file")" = "$(cat "$made" 2>/dev/null)" ]
}

# For the widest package that is here: each package may come alone, and one after the other. Where another host is known to be the server's,
# this one runs jobs, and schedulers when it is told to.
new_conf() {
  local server=0 mom=0 node host
  node=$(uname -n)
  host=$(conf PBS_SERVER)
  [ "$host" != CHANGE_THIS ] || host=
  if [[ $asked_server =~ ^[A-Za-z0-9._:,-]+$ ]]; then host=$asked_server; fi
  if here annals-server && { [ -z "$host" ] || [ "${host%%.*}" = "${node%%.*}" ]; }; then
    server=1 host=${host:-$node}
  elif here annals-execution; then
    mom=1
  fi
  sed -e 1s'/ Copy it to .* adapt it\./ Yours to edit: upgrades leave it as it is./' -e "s/^PBS_SERVER=.*/PBS_SERVER=${host:-CHANGE_THIS}/" \
    -e "s/^PBS_START_SERVER=.*/PBS_START_SERVER=$server/" -e "s/^PBS_START_MOM=.*/PBS_START_MOM=$mom/" "$exec_dir/etc/pbs.conf.template"
}

make_conf() {
  if { [ -e "$conf_file" ] || [ -L "$conf_file" ]; } && ! conf_is_untouched; then
    say "$conf_file stays as it is"
    return 0
  fi
  mkdir -p "$(dirname "$made")"
  new_conf > "$conf_file.new"
  chmod 644 "$conf_file.new"
  sha256sum < "$conf_file.new" > "$made.new"
  mv "$made.new" "$made"
  mv "$conf_file.new" "$conf_file"
  [ "$(conf PBS_SERVER)" != CHANGE_THIS ] || say "write the name of the server's host into $conf_file (PBS_SERVER)"
}

# Where the home was and is not mounted, none is made: pbs_habitat says so, and a start will say it again.
make_home() {
  if [ "$part" = server ] && [ "$(conf PBS_START_SERVER)" = 1 ]; then
    "$exec_dir/libexec/pbs_habitat" --start server sched || true
  elif [ "$part" = server ]; then
    say "no server starts here: $conf_file has PBS_SERVER=$(conf PBS_SERVER) and no PBS_START_SERVER=1"
  elif [ "$part" = mom ] && [ "$(conf PBS_START_MOM)" = 1 ]; then
    "$exec_dir/libexec/pbs_habitat" --start mom || true
  fi
}

# ---- daemons

init() {   # COMMAND [KEY=VALUE...]: the init script for the daemons of this package; of comm and follow decides pbs.conf
  local command=$1; shift
  case $part in
    server) env PBS_START_SERVER=1 PBS_START_MOM=0 "$@" "$exec_dir/libexec/pbs_init.d" "$command" ;;
    mom) env PBS_START_SERVER=0 PBS_START_COMM=0 PBS_START_FOLLOW=0 PBS_START_MOM=1 "$@" "$exec_dir/libexec/pbs_init.d" "$command" ;;
  esac
}

# Jobs go on without their daemons. The init script goes first: it ends schedulers too, which a unit leaves.
stop_daemons() {
  [ -n "$part" ] && [ -x "$exec_dir/libexec/pbs_init.d" ] || return 0
  local running
  running=$(init status | sed -n 's/^\([a-z_]*\) is [pid ]*[0-9][0-9]*$/\1/p')
  mkdir -p "$(dirname "$stopped")"
  if [ -n "$running" ]; then printf '%s\n' "$running" > "$stopped"; fi
  for unit in $units; do   # annals-mom.service is pbs_mom's
    if systemd_runs && systemctl -q is-active "$unit"; then
      sed -i "/^pbs_$(basename "${unit#annals-}" .service)\$/d" "$stopped" 2>/dev/null || true
      echo "$unit" >> "$stopped"
    fi
  done
  init stop > /dev/null
  for unit in $units; do
    if systemd_runs; then deb-systemd-invoke stop "$unit" > /dev/null || true; fi
  done
}

start_what_was_stopped() {
  [ -n "$part" ] && [ -s "$stopped" ] || return 0
  local server=0 mom=0 comm=0 follow=0 what
  while read -r what; do
    case $what in
      *.service) deb-systemd-invoke start "$what" > /dev/null || say "$what does not start: systemctl status $what" ;;
      pbs_server) server=1 ;;
      pbs_mom) mom=1 ;;
      pbs_comm) comm=1 ;;
      pbs_follow) follow=1 ;;
    esac
  done < "$stopped"
  if [ $server$mom$comm$follow != 0000 ]; then
    if [ "$part" = mom ]; then init start; else init start "PBS_START_SERVER=$server" "PBS_START_COMM=$comm" "PBS_START_FOLLOW=$follow"; fi > /dev/null ||
      say "what ran before does not start again: $exec_dir/libexec/pbs_init.d start"
  fi
  rm -f "$stopped"
}

# ---- removal

# Directories with homes, of this package's part or of any: those noted beside pbs.conf, and what it names now.
homes() {
  local of=${part:-*}
  {
    sed -n "s/^$(uname -n) [a-z]* //p" "$conf_file.homes" 2>/dev/null || true
    conf PBS_HOME; echo
    conf PBS_MOM_HOME; echo
  } | sort -u | while read -r home; do
    [ -z "$home" ] || ! compgen -G "$home/${of}_priv" > /dev/null || echo "$home"
  done
}

purge_conf() {
  if [ -e "$made" ]; then
    rm -f "$conf_file" "$made"
    rmdir --ignore-fail-on-non-empty "$(dirname "$made")"
  elif [ -e "$conf_file" ]; then
    say "left: $conf_file, which no package made"
  fi
}

purge() {
  local left
  left=$(homes)
  if [ "$package" = annals-client ]; then
    purge_conf
    if [ -z "$left" ]; then rm -f "$conf_file.homes"; elif [ -e "$conf_file.homes" ]; then say "left: $conf_file.homes, which names homes"; fi
  elif [ -n "$left" ]; then
    printf '%s\n' "$left" | while read -r home; do
      say "left: $home/${part}_priv and what is beside it; rm -r $home ends the history of its jobs"
    done
  fi
}
