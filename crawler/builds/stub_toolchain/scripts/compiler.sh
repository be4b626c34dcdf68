# Stands for a compiler: writes down how it was called and leaves empty outputs, or, where a build system only
# asks what the compiler can do, is that compiler. Only builtins on the way: it runs thousands of times a build.
set -f
IFS='
'
probe= seen= verbose= outside= mode=link out= made= dep= deps= odir= files= prev=

in_probe() {
  case $1 in
    *CMakeScratch*|*CMakeTmp*|*CompilerId*|*TryCompile*|*cmTC_*|*conftest*|*meson-private*) return 0 ;;
  esac
  return 1
}

source_file() {
  seen=1
  case $1 in
    $root/*) ;;
    /*) probe=1 ;;
    *) case $PWD/ in $root/*) ;; *) probe=1 ;; esac ;;
  esac
  case $generated:$1 in
    stub:*|device:*.cu|device:*.hip) ;;
    *) if [ "$1" -nt "$mark" ]; then probe=1; fi ;;
  esac
  if in_probe "$1"; then probe=1; fi
}

look() {
  for word do
    case $prev in
      ?*)
        case $prev in
          out) out=$word ;;
          dep) dep=$word ;;
          odir) odir=$word/ ;;
          file) files=$files$IFS$word ;;
        esac
        prev=
        continue ;;
    esac
    case $word in
      -[DIUOLg]?*) ;;
      -o|--output-file) prev=out ;;
      -MF|--dependency-output) prev=dep ;;
      -odir|--output-directory) prev=odir ;;
      -optf|--options-file) prev=file ;;
      --output-file=*) out=${word#*=} ;;
      -odir=*|--output-directory=*) odir=${word#*=}/ ;;
      -optf=*|--options-file=*) files=$files$IFS${word#*=} ;;
      -X*=*|-openmp*|-openacc*|-objtemp*) ;;
      -[DUILluTz]|-x|-X*|-include|-imacros|-isystem|-iquote|-idirafter|-MT|-MQ|-MJ|-ccbin|-gencode|-arch|-code|-t) prev=skip ;;
      --compiler-options|--linker-options|--generate-code|--compiler-bindir|--param|--sysroot|-target) prev=skip ;;
      -M|-MM|--generate-dependencies|--generate-nonsystem-dependencies|-fsyntax-only) mode=none ;;
      -MD|-MMD|--generate-dependencies-with-compile|--generate-nonsystem-dependencies-with-compile) deps=1 ;;
      -MF?*) dep=${word#-MF} ;;
      -Wp,-MD,*|-Wp,-MMD,*) dep=${word##*,} ;;
      -c|--compile|-dc|--device-c|-dw|--device-w) mode=.o ;;
      -S|--assemble) mode=.s ;;
      -ptx|--ptx|-cubin|--cubin|-fatbin|--fatbin) mode=.${word##*-} ;;
      -cuda|--cuda) mode=.cu.cpp.ii ;;
      -shared|--shared|-dynamiclib|-dlink|--device-link|-lib|--lib|-r|--genco) mode=library ;;
      -E|--preprocess|-V|--version|--help|-h|-dump*|-print-*|--print-*|-'###'|-show*|--show*|--list-*|-) probe=1 ;;
      -dryrun|--dryrun) probe=1 ;;
      -v|--verbose) verbose=1 ;;
      @?*) files=$files$IFS${word#@} ;;
      -o?*) out=${word#-o} ;;
      -*) ;;
      *.c|*.cc|*.cpp|*.cxx|*.c++|*.C|*.CC|*.CPP|*.CXX|*.cu|*.CU|*.hip|*.s|*.S|*.m|*.ptx) source_file "$word" ;;
      *.o|*.obj|*.a|*.so)
        made=1
        case $word in $root/*) ;; /*.o|/*.obj) outside=1 ;; esac
        if in_probe "$word"; then probe=1; fi ;;
    esac
  done
}

look "$@"
for file in $files; do
  if [ -f "$file" ]; then
    IFS=' 	
'
    look $(cat "$file")
    IFS='
'
  fi
done
if in_probe "$PWD" || in_probe "$out"; then probe=1; fi
if [ -z "$seen" ]; then
  if [ -n "$outside$verbose" ] || [ -z "$out$made" ] || [ "$links" = asks ]; then probe=1; fi
fi
if [ -n "$probe" ]; then
  IFS=' 	
'
  PATH=$path
  export PATH
  exec "$real" "$@"
fi

exec 2>/dev/null
if [ -n "$seen" ]; then
  {
    printf '%s\0' "$tool" "$PWD" "$#" "$@"
    for file in $files; do
      if [ -f "$file" ]; then
        printf '%s\0' @ "$PWD" 2 "$file"
        cat "$file"
        printf '\0'
      fi
    done
  } >>"$record/$$"
fi

leave() {
  case $1 in /dev/*) ;; *) printf '' >"$1" ;; esac
}

case $mode in
  none) ;;
  library) leave "${out:-a.out}" ;;
  link)
    out=${out:-a.out}
    printf '#!/bin/sh\nexit 0\n' >"$out" && chmod 755 "$out" ;;
  *)
    if [ -n "$out" ]; then
      leave "$out"
    else
      for word do
        case $word in
          -*) ;;
          *.c|*.cc|*.cpp|*.cxx|*.c++|*.C|*.CC|*.CPP|*.CXX|*.cu|*.CU|*.hip|*.s|*.S|*.m)
            word=${word##*/}
            leave "$odir${word%.*}$mode" ;;
        esac
      done
    fi ;;
esac
if [ -n "$dep" ]; then
  leave "$dep"
elif [ -n "$deps" ] && [ -n "$out" ]; then
  leave "${out%.*}.d"
fi
exit 0
