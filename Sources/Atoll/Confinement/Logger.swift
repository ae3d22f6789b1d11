internal import Foundation
internal import Synchronization

/// How much a message matters.
///
/// A logger writes messages up to its own level: one with the level `warn` writes `warn`, `error`
/// and `fatal`.
public enum LogLevel: Int, Sendable, CaseIterable, Comparable {
  /// Nothing is written.
  case off
  /// Wrong use that ends the process.
  case fatal
  /// What went wrong, and is told to a handler of the app.
  case error
  /// What goes on, but not as it should: an attempt to connect that failed.
  case warn
  /// What a user of the app may notice: a connection, a log-in, a migration.
  case info
  /// What explains that: files that are opened and closed, states of subscriptions.
  case detail
  /// What the server and the session tell each other.
  case debug
  /// For messages of the program itself, as the library has none.
  case trace
  /// Everything.
  case all

  public static func < (a: LogLevel, b: LogLevel) -> Bool { a.rawValue < b.rawValue }
}

/// Writes what the library does with files, sessions and users.
///
///     Logger.shared.level = .info
///
/// Messages name files, classes and users. They hold no passwords, tokens or keys; a message of an
/// error has the text of the error, which may name the primary key of an object.
public final class Logger: Sendable {
  /// Takes a message.
  ///
  /// It is called on any thread, also on several at once, and returns soon, as the work that it is
  /// told of waits for it. It does not use realms.
  @preconcurrency
  public typealias LogFunction = @Sendable (_ level: LogLevel, _ message: String) -> Void

  private static let current = Mutex(
    Logger(level: .off) { level, message in
      FileHandle.standardError.write(Data("\(level): \(message)\n".utf8))
    })

  /// The logger that the library writes to.
  ///
  /// The first one writes lines to standard error, and its level is `off`.
  public static var shared: Logger {
    get { current.withLock { $0 } }
    set { current.withLock { $0 = newValue } }
  }

  private let limit: Atomic<Int>
  private let logFunction: LogFunction

  /// Makes a logger that calls a function, for `shared`.
  ///
  /// - Parameters:
  ///   - level: Up to which level messages are written.
  ///   - logFunction: Writes a message.
  @preconcurrency public init(level: LogLevel = .info, logFunction: @escaping LogFunction) {
    limit = Atomic(level.rawValue)
    self.logFunction = logFunction
  }

  /// Up to which level messages are written; may be set on any thread.
  public var level: LogLevel {
    get { LogLevel(rawValue: limit.load(ordering: .relaxed)) ?? .off }
    set { limit.store(newValue.rawValue, ordering: .relaxed) }
  }

  /// Writes a message, if the logger has its level.
  ///
  /// - Parameters:
  ///   - level: How much it matters; `off` is never written.
  ///   - message: A sentence.
  public func log(level: LogLevel, message: @autoclosure () -> String) {
    guard level != .off, level <= self.level else { return }
    logFunction(level, message())
  }

  /// Writes a message of the library.
  static func note(_ level: LogLevel, _ message: @autoclosure () -> String) {
    shared.log(level: level, message: message())
  }
}
