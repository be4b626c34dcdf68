# Stands for what works on objects: those that the stub compilers left are empty.
out= prev= archive=
for word do
  case $word in
    --version|-V|--help|-h|-v|*CMakeScratch*|*CMakeTmp*|*CompilerId*|*conftest*|*meson-private*)
      PATH=$path
      export PATH
      exec "$real" "$@" ;;
  esac
  case $prev in -o|--output-file) out=$word ;; esac
  prev=$word
  case $word in
    --output-file=*|--create=*) out=${word#*=} ;;
    *.a) archive=${archive:-$word} ;;
  esac
done
exec 2>/dev/null
case $tool in
  *ar) if [ -n "$archive" ] && [ ! -e "$archive" ]; then printf '!<arch>\n' >"$archive"; fi ;;
esac
case $out in
  ?*)
    printf '#!/bin/sh\nexit 0\n' >"$out"
    chmod 755 "$out" ;;
esac
exit 0
