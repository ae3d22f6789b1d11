extension Realm.Configuration {
  /// Tells of a failure that nothing throws; without a handler the process ends.
  func tell(_ failure: Realm.Error) {
    Logger.note(.error, "\(fileName): \(failure.message)")
    guard let failureHandler else { Misuse.trap(failure.message) }
    HeldFailures.tell(failure, to: failureHandler)
  }

  /// Tells of an error if it is a failure.
  func tellIfFailed(_ error: any Error, _ doing: String) {
    guard Realm.Error.isFailure(error) else { return }
    tell(Realm.Error(error, doing: doing, fileURL: fileURL))
  }

  /// Opens something where nothing can be thrown.
  ///
  /// - Returns: What was opened; nil when that fails, as is told then.
  func opening<Opened>(_ doing: @autoclosure () -> String, _ open: () throws -> Opened) -> Opened? {
    do { return try open() } catch {
      tellIfFailed(error, doing())
      return nil
    }
  }
}
