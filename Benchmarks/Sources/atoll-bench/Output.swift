#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Writes a line to standard error, so that standard output holds nothing but results.
func progress(_ text: String) {
  var line = text + "\n"
  // SAFETY: the bytes are the string's own, alive for the call.
  _ = line.withUTF8 { unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
}

/// Writes a result to standard output at once, so that an interrupted run keeps it.
func report(_ line: ResultLine) {
  print(line.json)
  fflush(nil)
}
