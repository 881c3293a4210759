# Reads what compute-sanitizer printed around `diopi-cli call` and prints a line per finding: CASE, KERNEL, WHAT, separated
# by tabs. A finding follows the case that was called; its kernel is in its first line that names one.
# -v others=1: only what is not our kernels' business, races in NVIDIA's own kernels and faults of the tool; 0: all but that.
function flush(  theirs) {
  if (what == "") return
  theirs = what ~ /[Rr]ace reported|hazard/ && kernel != "" && kernel !~ /diopi/
  if (what ~ /Internal Sanitizer Error/) theirs = broken[id] = 1
  if (theirs == others) print (id == "" ? "before the first case" : id) "\t" (kernel == "" ? "-" : kernel) "\t" what
  what = kernel = ""
}
# "... at NAME+0x10 in file.cu:12": NAME without the arguments that a template's instances share.
function kernel_in(line) {
  if (!match(line, / at .*\+0x[0-9a-f]+/)) return ""
  line = substr(line, RSTART + 4, RLENGTH - 4)
  sub(/\+0x[0-9a-f]+.*/, "", line)
  sub(/^.* at /, "", line) # of a race, the first access
  return line
}
/^case / {flush(); id = $2}
/^failed / {
  flush()
  if (!others && !(id in broken)) print substr($2, 1, length($2) - 1) "\t-\t" substr($0, index($0, $3))
}
/^=========  / {if (what != "" && kernel == "") kernel = kernel_in($0); next}
/^========= / {
  flush()
  if (/ COMPUTE-SANITIZER|SUMMARY|Saved host|Target application|LEAK/) next
  # Calls of CUDA that fail inside NVIDIA's libraries are theirs to handle; ours are the `failed` lines.
  if (/ on CUDA API call to /) next
  if ($0 !~ /^========= [A-Z]/) next
  what = substr($0, 11)
  kernel = kernel_in(what)
}
END {flush()}
