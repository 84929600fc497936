#!/bin/sh
# usage: as a compiler's
#
# What new_event_test.py has ccache call: g++ reads the source and warns; the object that comes of it says no more than that it did.
case " $* " in *" -E "*) exec g++ "$@" ;; esac
left=$#
while [ $left -gt 0 ]; do
  word=$1
  shift
  left=$((left - 1))
  case $word in
    -o) object=$1; shift; left=$((left - 1)) ;;
    *) set -- "$@" "$word" ;;
  esac
done
g++ "$@" -fsyntax-only || exit 1
echo read > "$object"      # an empty one is not kept
