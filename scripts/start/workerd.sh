#!/bin/sh
# Runs workerd so that it ends with the server that started it, a server that was killed too.
# File 3 is a pipe of which the server holds the other end: reading it ends when the server does.
# Ctrl-C goes to every process of a terminal; the server ends workerd when it is done itself.
trap '' INT HUP TERM
(
  read -r _ <&3
  case "$(ps -o comm= -p $$ 2>/dev/null || echo workerd)" in *workerd*) kill -9 $$ ;; esac
) </dev/null >/dev/null 2>&1 &
exec "$SKEIN_WORKERD" "$@"
