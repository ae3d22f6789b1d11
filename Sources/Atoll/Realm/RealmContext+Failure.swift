internal import AtollObjects

// What a failure does to a realm: `MetFailures` says what is one. Wrong use that may follow from a
// failure, as an index that was right if the number of elements could be read, is passed over.

extension _RealmContext {
  // MARK: Meeting one

  /// Reads what cannot throw where it is asked for.
  ///
  /// - Parameters:
  ///   - doing: What cannot be done, as the beginning of a sentence.
  ///   - fallback: What is read when the file fails.
  ///   - body: Reads.
  /// - Returns: What was read.
  func reading<Result>(
    _ doing: @autoclosure () -> String, or fallback: @autoclosure () -> Result,
    _ body: () throws -> Result
  ) -> Result {
    do { return try body() } catch {
      tell(of: error, doing())
      return fallback()
    }
  }

  /// Reads what observers are told of: a failure does not concern the write that may be open.
  func readingForObservers<Result>(_ body: () throws -> Result) rethrows -> Result {
    let isNested = isReadingForObservers
    isReadingForObservers = true
    defer { isReadingForObservers = isNested }
    return try body()
  }

  /// As `reading`, what observers are told of.
  func readingWhatIsTold<Result>(
    _ doing: @autoclosure () -> String, or fallback: @autoclosure () -> Result,
    _ body: () throws -> Result
  ) -> Result {
    readingForObservers { reading(doing(), or: fallback(), body) }
  }

  /// Makes a change that cannot throw where it is asked for; the write throws a failure at its end.
  ///
  /// - Returns: nil for a failure, and for what follows from one.
  @discardableResult
  func changing<Result>(
    _ doing: @autoclosure () -> String, _ body: () throws -> Result
  ) -> Result? {
    do { return try body() } catch {
      noteFailedChange(error, doing())
      return nil
    }
  }

  /// As `tell`, of an error of a change.
  func noteFailedChange(_ error: any Error, _ doing: @autoclosure () -> String) {
    tell(of: error, doing())
    if Realm.Error.isFailure(error) { hasHalfDoneChange = true }
  }

  /// Tells of a failure that cannot be thrown where it is met; ends the process for wrong use.
  ///
  /// In a write, or in an update of the subscriptions, its end throws it, and the handler is not
  /// called now.
  func tell(of error: any Error, _ doing: @autoclosure () -> String) {
    guard Realm.Error.isFailure(error) else { return refuse("\(doing()): \(error)") }
    let failure = Realm.Error(error, doing: doing(), fileURL: configuration.fileURL)
    failures.add(failure)
    // The opening that migrates throws it.
    if let migration { return migration.fail(failure) }
    if isReadingForObservers { return configuration.tell(failure) }
    if isWriteOpen || subscriptionUpdate != nil {
      writeFailure = writeFailure ?? failure
    } else {
      // What was read may go into a write of another realm.
      file.noteFailure(failure)
      configuration.tell(failure)
    }
  }

  /// Ends the process for wrong use; where that may follow from a failure, what was asked for is
  /// nothing, and the write that is open fails.
  func refuse(
    _ sentence: @autoclosure () -> String, file: StaticString = #fileID, line: UInt = #line
  ) {
    guard let metFailure else { Misuse.trap(sentence(), file: file, line: line) }
    guard transaction != nil || subscriptionUpdate != nil else {
      // As of a failure: what was asked for may go into a write of another realm.
      return self.file.noteFailure(metFailure)
    }
    failWrite(
      Realm.Error(
        metFailure, doing: "\(sentence()), which may follow from an earlier failure",
        fileURL: configuration.fileURL))
  }

  /// As `refuse`, for a collection that no version has.
  func refuseNoVersion() {
    refuse(
      "a collection was frozen whose object was deleted, or was made by this write and is in no "
        + "version before the commit")
  }

  /// Takes note that something of the realm cannot be read from now on, whatever becomes of the file:
  /// wrong use may follow from that in a realm, too, that has met no failure itself.
  func noteUnreadable() {
    if failures.last == nil { failures.add(metFailure ?? unreadFailure) }
  }

  /// Whether wrong use may follow from a failure.
  ///
  /// A later read that succeeds does not end this: what was read as nothing may be used long after.
  var hasMetFailure: Bool { metFailure != nil }

  /// The failure that the realm has met last, or that fails the write that is open; nil when there
  /// was none.
  private var metFailure: Realm.Error? {
    failures.last ?? writeFailure ?? file.failure(ofWriteIn: self)
  }

  // MARK: In a write

  /// Whether a write is open, also one that could not begin.
  var isWriteOpen: Bool { transaction != nil || writeFailure != nil && subscriptionUpdate == nil }

  /// Makes the write that is open, or the update of the subscriptions, throw at its end: what cannot
  /// be read was to be changed, or to be linked to.
  func failWrite() { failWrite(metFailure ?? unreadFailure) }

  private var unreadFailure: Realm.Error {
    Realm.Error(
      .invalidDatabase, "an object was used that could not be read",
      fileURL: configuration.fileURL, isFailure: true)
  }

  private func failWrite(_ failure: Realm.Error) {
    guard transaction != nil || subscriptionUpdate != nil else { return }
    writeFailure = writeFailure ?? failure
  }

  /// Takes note that an object was used that cannot be read: the write that may hold its values
  /// fails, and the handler is not called again.
  func noteUnread() {
    if transaction != nil || subscriptionUpdate != nil { return failWrite() }
    if let last = failures.last { file.noteFailure(last) }
  }

  // MARK: Keeping what was read

  /// The number of failures that the realm has met.
  var failureCount: Int { failures.count }

  /// Whether the realm shows no version now, or one that is older than its own last commit, as the
  /// newest one cannot be read.
  var isUnsettled: Bool { version.isUnsettled }

  /// Whether what was read since the number of failures was `count` is what the file holds.
  func isSound(since count: Int) -> Bool { failureCount == count && !isUnsettled }
}
