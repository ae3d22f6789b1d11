/// One version of the file, kept readable for as long as the snapshot lives.
///
/// The version is pinned as long as the snapshot, its reader, or a page that the
/// reader lent lives.
///
/// Never blocks a writer and is never blocked by one. What it holds back from
/// reuse is bounded by the pages of its own version.
public final class StorageSnapshot: Sendable {
  package let store: PageStore
  private let version: PageStore.Version
  package let reader: PageReader

  init(store: PageStore, version: PageStore.Version, reader: PageReader) {
    self.store = store
    self.version = version
    self.reader = reader
  }

  package var slot: HeaderSlot { version.header }

  /// The version: the number of the transaction that made it.
  public var transaction: UInt64 { version.header.transaction }
}
