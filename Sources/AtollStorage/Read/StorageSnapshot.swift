/// One version of the file, kept readable for as long as the snapshot lives.
///
/// The version is pinned as long as the snapshot, its reader, or a page that the
/// reader lent lives.
///
/// Never blocks a writer and is never blocked by one. What it holds back from
/// reuse is bounded by the pages of its own version.
public struct StorageSnapshot: Sendable {
  package let reader: PageReader

  init(_ reader: PageReader) {
    self.reader = reader
  }

  private var version: PinnedVersion {
    guard let version = reader.version else {
      preconditionFailure("the reader of a snapshot holds a version")
    }
    return version
  }

  package var slot: HeaderSlot { version.header }

  /// The version: the number of the transaction that made it.
  public var transaction: UInt64 { reader.transaction }

  /// What the layer above keeps with the version for all snapshots that share it.
  ///
  /// It may outlive the snapshot, and the version's pages may be overwritten then. The reader that
  /// `make` gets holds no pin: it is used only on behalf of a snapshot of the version that is
  /// alive.
  package func extra<Extra: AnyObject & Sendable, Failure: Error>(
    making make: (PageReader) throws(Failure) -> Extra
  ) throws(Failure) -> Extra {
    try version.extra(making: make)
  }
}
