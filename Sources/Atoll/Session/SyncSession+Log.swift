internal import AtollSync

extension SyncSession {
  /// Writes a message about the session.
  func note(_ level: LogLevel, _ message: @autoclosure () -> String) {
    Logger.note(level, "'\(path)': \(message())")
  }

  /// Writes what the client's core says; errors are written where they are reported.
  func note(_ event: SyncEvent) {
    switch event {
    case .welcomed: note(.debug, "the server knows the file")
    case .setChanged(let version):
      note(.detail, "version \(version) of the subscriptions has another state")
    case .inboxGrew(let ids): note(.warn, "the server refused \(ids.count) changes")
    case .answered(let number): note(.debug, "the server answered the writes up to \(number)")
    case .reached(let mark): note(.debug, "all that the server had at mark \(mark) is here")
    case .newIdentity: note(.info, "the file synchronises under a new identity")
    case .resetEnded: note(.info, "the file was synchronised again as a whole")
    case .verified(let count): note(.detail, "\(count) subscriptions differ from the server's")
    case .schemaRefused, .reported: break
    }
  }
}
