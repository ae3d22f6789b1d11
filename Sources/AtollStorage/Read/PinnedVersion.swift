internal import Synchronization

/// Where versions are pinned, and told that a reader has ended.
protocol VersionHolder: AnyObject, Sendable {
  func leave(_ version: PinnedVersion)
}

/// One version as the readers of one lane share it; while it has any, it is pinned.
///
/// Everything that a snapshot touches hangs here, so that beginning one counts references of
/// objects that belong to the lane only.
final class PinnedVersion: @unchecked Sendable {
  // Sendable: the count and the slot are touched only under the lock of the lane, the rest is
  // immutable or atomic.
  let header: HeaderSlot
  let transaction: UInt64
  let source: PageSource
  /// Where the pin is; nil while there is no reader.
  var slot: ReaderSlot?
  var readerCount = 0
  private let extra = AtomicLazyReference<AnyObject>()

  init(_ header: HeaderSlot, source: PageSource) {
    self.header = header
    transaction = header.transaction
    self.source = source
  }

  var extent: VersionExtent { VersionExtent(transaction, blockCount: header.blockCount) }

  /// A reader that holds no pin: it is used only while one that does is alive.
  var unpinnedReader: PageReader {
    PageReader(
      source: source, transaction: transaction, blockCount: header.blockCount)
  }

  /// What the layer above keeps with the version, made when it is asked for first.
  ///
  /// Two threads may make one each; all get the same.
  func extra<Extra: AnyObject & Sendable, Failure: Error>(
    making make: (PageReader) throws(Failure) -> Extra
  ) throws(Failure) -> Extra {
    let found: AnyObject
    if let known = extra.load() {
      found = known
    } else {
      found = extra.storeIfNil(try make(unpinnedReader))
    }
    guard let extra = found as? Extra else {
      preconditionFailure("a version has extras of one type")
    }
    return extra
  }
}
