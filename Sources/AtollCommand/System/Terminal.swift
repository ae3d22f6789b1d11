#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The terminal of an input or output, if there is one.
enum Terminal {
  /// Columns of the terminal behind `descriptor`; nil when it is a file or a pipe.
  static func width(_ descriptor: Int32) -> Int? {
    guard isatty(descriptor) == 1 else { return nil }
    var size = winsize()
    // SAFETY: the request writes one `winsize` structure, which outlives the call.
    guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
      return 80
    }
    return Int(size.ws_col)
  }

  /// Reads a line of standard input; from a terminal with a prompt, and without showing it.
  ///
  /// - Returns: Nil for a line that is no UTF-8.
  /// - Throws: What `errors` throws.
  static func readSecret(_ prompt: String, _ errors: any ByteSink) throws -> String? {
    var shown = termios()
    // SAFETY: the calls read or write one `termios` structure, which outlives them.
    let isTerminal = unsafe isatty(STDIN_FILENO) == 1 && tcgetattr(STDIN_FILENO, &shown) == 0
    if isTerminal {
      try errors.write(prompt)
      try errors.flush()
      var hidden = shown
      hidden.c_lflag &= ~tcflag_t(ECHO)
      _ = unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden)
    }
    defer {
      if isTerminal {
        _ = unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &shown)
        try? errors.write("\n")
        try? errors.flush()
      }
    }
    // What is no UTF-8 is read with replacement characters in its place.
    let line = readLine() ?? ""
    return line.unicodeScalars.contains("\u{FFFD}") ? nil : line
  }
}
