#!/bin/sh
# usage: CXX=g++ switches_as_compiler.sh, and then as a compiler's
#
# What new_event_test.py has ccache call: the compiler reads the source and warns; the object that comes of it says no more than that it did.
case " $* " in *" -E "*) exec "$CXX" "$@" ;; esac
for word in "$@"; do
  [ "${before-}" != -o ] || object=$word
  before=$word
done
"$CXX" "$@" -fsyntax-only || exit 1
echo read > "$object"      # an empty one is not kept
