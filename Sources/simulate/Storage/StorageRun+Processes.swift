internal import AtollStorage
internal import TestSupport

/// Two processes that have the file open and take turns: what one commits the other finds and
/// builds on.
///
/// The one whose turn it is has `store` and `process`, so that every step may be either's. They die
/// together.
extension StorageRun {
  /// The process whose turn it is not.
  struct OtherProcess {
    var store: PageStore
    var process: ProcessFile
    var hasWritten: Bool
  }

  /// Lets the other process do what comes next; opens the file there if it is not yet.
  func changeProcess() throws {
    guard let store else { return }
    guard let next = other else { return try openOther() }
    other = OtherProcess(store: store, process: process, hasWritten: hasWritten)
    take(next)
    count(.turns)
    note("another process goes on")
    // What the first one committed is read from the file, which may fail.
    _ = try attempt("following another process") { try next.store.snapshot() }
  }

  private func openOther() throws {
    let process = ProcessFile(disk)
    let opened = try attempt("opening in another process") {
      try TreeStore.open(process, among: processes, key: key)
    }
    guard let opened else { return }
    other = OtherProcess(store: opened, process: process, hasWritten: false)
    let found = try attempt("reading in another process") { try opened.snapshot().transaction }
    guard let found, found != current.transaction else { return }
    throw violation("another process sees version \(found), not \(current.transaction)")
  }

  private func take(_ next: OtherProcess) {
    (store, process, hasWritten) = (next.store, next.process, next.hasWritten)
  }

  /// Closes the file in the other process, so that the one whose turn it is has it alone.
  ///
  /// - Returns: false when it was interrupted.
  func closeOther() throws -> Bool {
    guard other != nil else { return true }
    // Those that read there would keep the file open.
    pins = []
    try changeProcess()
    guard interruption == nil, let store, let rest = other,
      try attempt("closing in one of two processes", { try store.close() }) != nil
    else { return false }
    if hasWritten { isOnDisk(current) }
    addDigest(of: process)
    take(rest)
    other = nil
    note("one of two processes closed")
    return true
  }
}
