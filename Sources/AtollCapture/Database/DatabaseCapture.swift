package import AtollObjects

/// Records what is changed in the synced classes of a database, for a server.
package struct DatabaseCapture: DatabaseParticipant {
  private let limits: RecordingLimits

  package init(limits: RecordingLimits = RecordingLimits()) { self.limits = limits }

  package func join(_ transaction: Transaction) -> any TransactionParticipant {
    CaptureState(transaction, limits: limits)
  }

  package func check(_ snapshot: Snapshot) -> [String] {
    var check = CaptureCheck(snapshot)
    return check.run()
  }

  package func mend(_ transaction: Transaction) throws(ObjectError) {
    // What is copied was recorded when it was written.
    transaction.participant = CaptureState(transaction, origin: .sync)
    try transaction.mendCapture()
  }
}

extension Database.Options {
  /// The default options of a database whose changes are recorded.
  package static var recording: Self { Self().recording() }

  /// The same options of a database whose changes are recorded.
  package func recording(_ limits: RecordingLimits = RecordingLimits()) -> Self {
    var options = self
    options.participant = DatabaseCapture(limits: limits)
    return options
  }
}
