#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The properties of the terminal of an output, if there is one.
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
}
