#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif
import Synchronization

/// Another program, spoken to in lines through its standard input and output.
///
/// Killed when the last reference goes, so that a failing test leaves no process behind.
package final class ChildProcess: Sendable {
  package struct Failure: Error {
    package let sentence: String
  }

  package let processID: Int32
  private let input: Int32
  private let output: Int32
  private let isReaped = Mutex(false)
  /// Output that was read and not yet returned.
  private let received = Mutex<[UInt8]>([])

  // One at a time, so that no program inherits the pipes of another.
  private static let spawning = Mutex(())

  /// Starts the program at `path`.
  package init(_ path: String, _ arguments: [String] = []) throws {
    (processID, input, output) = try Self.spawning.withLock { _ in
      try Self.spawn(path, arguments)
    }
  }

  deinit {
    kill()
    close(input)
    close(output)
  }

  /// Makes a write to a program that has ended an error, and not the end of this process.
  package static func ignoreBrokenPipes() {
    #if canImport(Glibc)
    _ = Glibc.signal(SIGPIPE, SIG_IGN)
    #elseif canImport(Musl)
    _ = Musl.signal(SIGPIPE, SIG_IGN)
    #else
    _ = Darwin.signal(SIGPIPE, SIG_IGN)
    #endif
  }

  /// Ends this process with SIGKILL: nothing more is written.
  package static func killOwnProcess() -> Never {
    _ = Self.send(SIGKILL, to: getpid())
    while true { _ = pause() }
  }

  /// The path of a program of this package, which lies beside the tests' own.
  package static func path(ofProgram name: String) -> String {
    var own = CommandLine.arguments[0]
    if let resolved = realpath("/proc/self/exe", nil) {
      own = String(cString: resolved)
      free(resolved)
    }
    // On Darwin the tests lie three folders down in a bundle.
    var folder = own[...]
    while let slash = folder.lastIndex(of: "/") {
      folder = folder[..<slash]
      if access("\(folder)/\(name)", X_OK) == 0 { return "\(folder)/\(name)" }
    }
    return name
  }

  /// Sends a line, and returns the line that the program answers.
  package func ask(_ line: String) throws -> String {
    try send(line)
    return try receive()
  }

  /// Sends a line.
  package func send(_ line: String) throws {
    var bytes = Array("\(line)\n".utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { write(input, $0.baseAddress, $0.count) }
      guard count > 0 else { throw Failure(sentence: "the program reads no more") }
      bytes = bytes.dropFirst(count)
    }
  }

  /// Waits for a line.
  package func receive() throws -> String {
    while true {
      if let line = try receive(within: .seconds(3600)) { return line }
    }
  }

  /// Waits for a line; nil when none has come in time.
  package func receive(within limit: Duration) throws -> String? {
    let end = ContinuousClock.now.advanced(by: limit)
    return try received.withLock { received in
      while true {
        if let length = received.firstIndex(of: UInt8(ascii: "\n")) {
          defer { received.removeFirst(length + 1) }
          return String(decoding: received[..<length], as: UTF8.self)
        }
        guard Self.wait(for: [self], until: end) else { return nil }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = read(output, &bytes, bytes.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { throw Failure(sentence: "the program ended") }
        received += bytes[..<count]
      }
    }
  }

  /// Waits until one of the programs has written something, or has ended.
  ///
  /// - Returns: false when `end` came first.
  package static func wait(
    for programs: [ChildProcess], until end: ContinuousClock.Instant
  ) -> Bool {
    while true {
      var descriptors = programs.map {
        pollfd(fd: $0.output, events: Int16(POLLIN), revents: 0)
      }
      let left = ContinuousClock.now.duration(to: end)
      let milliseconds = max(0, min(left / .milliseconds(1), 1e6)).rounded(.up)
      let count = poll(&descriptors, nfds_t(descriptors.count), Int32(milliseconds))
      if count > 0 { return true }
      if count == 0, left <= .zero { return false }
    }
  }

  /// Stops the program until `resume`, and returns when it has stopped.
  package func suspend() {
    isReaped.withLock { isReaped in
      if isReaped { return }
      _ = signal(SIGSTOP)
      var status: Int32 = 0
      while waitpid(processID, &status, WUNTRACED) < 0, errno == EINTR {}
      // It may have ended instead.
      isReaped = status & 0xFF != 0x7F
    }
  }

  /// Lets the program go on.
  package func resume() {
    isReaped.withLock { isReaped in
      if !isReaped { _ = signal(SIGCONT) }
    }
  }

  /// Ends the program with SIGKILL and waits until it is gone.
  package func kill() {
    isReaped.withLock { isReaped in
      if isReaped { return }
      _ = signal(SIGKILL)
      var status: Int32 = 0
      while waitpid(processID, &status, 0) < 0, errno == EINTR {}
      isReaped = true
    }
  }

  /// How a program ended.
  package enum Ending: Equatable, Sendable {
    case status(Int32)
    case signal(Int32)
  }

  /// Waits until the program ends by itself, and returns whether it ended with code 0.
  package func waitForSuccess() -> Bool { waitForEnd() == .status(0) }

  /// Waits until the program ends by itself; one that was killed here has status -1.
  package func waitForEnd() -> Ending {
    isReaped.withLock { isReaped in
      if isReaped { return .status(-1) }
      var status: Int32 = 0
      while waitpid(processID, &status, 0) < 0, errno == EINTR {}
      isReaped = true
      let signal = status & 0x7F
      return signal == 0 ? .status(status >> 8 & 0xFF) : .signal(signal)
    }
  }

  private func signal(_ number: Int32) -> Int32 { Self.send(number, to: processID) }

  private static func send(_ number: Int32, to processID: Int32) -> Int32 {
    #if canImport(Glibc)
    Glibc.kill(processID, number)
    #elseif canImport(Musl)
    Musl.kill(processID, number)
    #else
    Darwin.kill(processID, number)
    #endif
  }

  private static func spawn(
    _ path: String, _ arguments: [String]
  ) throws -> (processID: Int32, input: Int32, output: Int32) {
    var toChild: [Int32] = [0, 0]
    var fromChild: [Int32] = [0, 0]
    guard pipe(&toChild) == 0, pipe(&fromChild) == 0 else {
      throw Failure(sentence: "no pipes: \(String(cString: strerror(errno)))")
    }
    for descriptor in toChild + fromChild { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    #if canImport(Darwin)
    var actions: posix_spawn_file_actions_t?
    #else
    var actions = posix_spawn_file_actions_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, toChild[0], 0)
    posix_spawn_file_actions_adddup2(&actions, fromChild[1], 1)
    var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var processID: pid_t = 0
    let failure = posix_spawn(&processID, path, &actions, nil, &words, environ)
    close(toChild[0])
    close(fromChild[1])
    guard failure == 0 else {
      close(toChild[1])
      close(fromChild[0])
      throw Failure(sentence: "cannot start \(path): \(String(cString: strerror(failure)))")
    }
    return (processID, toChild[1], fromChild[0])
  }
}
