#if os(Linux)
import TestSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// What a program asks of the system, in order, as `strace` writes it down.
struct SystemCallTrace {
  enum Event: Equatable {
    /// A file was made.
    case make(String)
    /// Bytes of a file were written.
    case write(String)
    /// The length of a file was set.
    case resize(String)
    /// A file or folder was synchronised: all of it, or its bytes only.
    case synchronize(String, isFull: Bool)
    case failedSync(String)
    case rename(String, to: String)
  }

  /// What happened until the program answered something.
  struct Section {
    var answer: String
    var events: [Event]
  }

  /// A line that says something else than is known here.
  struct UnknownLine: Error {
    let line: String
  }

  /// The sections, each with the answer at its end.
  private(set) var sections: [Section] = []

  /// Reads the trace of a program with one thread.
  init(_ text: String) throws {
    var events: [Event] = []
    for line in text.split(separator: "\n") {
      guard !line.contains("unfinished ...>"), !line.contains(" resumed>") else {
        throw UnknownLine(line: String(line))
      }
      // Lines about signals and ends have no result.
      guard let call = line.wholeMatch(of: /\d+ +(\w+)\((.*)\) += (-?\d+).*/) else { continue }
      let (name, arguments, isDone) = (call.1, call.2, call.3.first != "-")
      let path = arguments.prefixMatch(of: /\d+<([^>]*)>/).map { String($0.1) }
      let quoted = arguments.matches(of: /"([^"]*)"/).map { String($0.1) }
      switch (name, isDone) {
      case ("write", true) where arguments.hasPrefix("1<"):
        // The line break is written as two characters.
        let answer = quoted.first ?? ""
        sections.append(
          Section(answer: String(answer.prefix { $0 != "\\" }), events: events))
        events = []
      case ("openat", true) where arguments.contains("O_CREAT"):
        if let made = quoted.first { events.append(.make(made)) }
      case ("pwrite64", true), ("pwritev", true), ("pwritev2", true):
        if let path { events.append(.write(path)) }
      case ("ftruncate", true), ("fallocate", true):
        if let path { events.append(.resize(path)) }
      case ("fsync", _), ("fdatasync", _):
        guard let path else { throw UnknownLine(line: String(line)) }
        events.append(
          isDone ? .synchronize(path, isFull: name == "fsync") : .failedSync(path))
      case ("rename", true) where quoted.count == 2:
        events.append(.rename(quoted[0], to: quoted[1]))
      default: break
      }
    }
  }

  private static let strace = "/usr/bin/strace"

  /// Whether a program can be traced here.
  static let isPossible =
    access(strace, X_OK) == 0
    && ((try? ChildProcess(strace, ["-qq", "-o", "/dev/null", "/bin/true"]))?.waitForSuccess()
      ?? false)

  /// Starts a program whose calls are written to `output`.
  ///
  /// `failing`: the call that does not succeed, in the words of `strace --inject`.
  static func start(
    _ program: String, _ arguments: [String], output: String, failing: String? = nil
  ) throws -> ChildProcess {
    let calls = "openat,write,pwrite64,pwritev,pwritev2,fsync,fdatasync,rename,ftruncate,fallocate"
    var options = ["-f", "-y", "-qq", "-e", "signal=none", "-e", "trace=\(calls)", "-o", output]
    if let failing { options += ["-e", "inject=\(failing)"] }
    // A sanitizer's look at its own process is something else that traces it.
    options += ["-E", "ASAN_OPTIONS=detect_leaks=0"]
    return try ChildProcess(strace, options + [program] + arguments)
  }
}

extension SystemCallTrace.Section {
  typealias Event = SystemCallTrace.Event

  /// Whether the last write to a file before `end` is followed by a synchronisation before `end`,
  /// and its last change of length by a full one.
  func isSynchronized(_ path: String, before end: Int? = nil) -> Bool {
    let events = events[..<(end ?? events.endIndex)]
    let full = events.lastIndex(of: .synchronize(path, isFull: true)) ?? -1
    let any = max(full, events.lastIndex(of: .synchronize(path, isFull: false)) ?? -1)
    return any > events.lastIndex(of: .write(path)) ?? -1
      && full >= events.lastIndex(of: .resize(path)) ?? -1
  }

  /// Whether the name of a file that `event` made or changed is synchronised after it.
  func isNameSynchronized(after event: Event, in folder: String) -> Bool {
    guard let index = events.lastIndex(of: event),
      let sync = events.lastIndex(of: .synchronize(folder, isFull: true))
    else { return false }
    return sync > index
  }

  func synchronizes(_ path: String) -> Bool {
    events.contains(.synchronize(path, isFull: true))
      || events.contains(.synchronize(path, isFull: false))
  }
}
#endif
