/// The pages that a transaction has made, by block.
///
/// A page waits in memory until the commit, or until so many wait that some are
/// written ahead. Used by the one thread that runs the transaction.
final class TransactionPages {
  /// All pages, by their first block.
  private(set) var references: [BlockNumber: PageReference] = [:]
  /// Those that wait in memory.
  private(set) var waiting: [BlockNumber: PageBuffer] = [:]
  private(set) var waitingByteCount = 0
  /// The first error that reading or making a page met; a transaction that has one never commits.
  ///
  /// Code that caught the error cannot know which half of its change was done.
  private(set) var failure: StorageError?
  /// Whether the transaction was committed or cancelled, so that nothing may be read from it any
  /// more.
  var isEnded = false

  var count: Int { references.count }

  /// The page that waits at `block`; nil when it is in the file or there is none.
  subscript(block: BlockNumber) -> PageBuffer? { waiting[block] }

  /// Whether `reference` is that of a page of this transaction.
  func holds(_ reference: PageReference) -> Bool { references[reference.block] == reference }

  /// Takes the blocks of a page that is going to be made.
  func reserve(_ run: BlockRun) {
    references[run.start] = PageReference(run: run, checksum: 0)
  }

  func insert(_ buffer: PageBuffer, as reference: PageReference) {
    waitingByteCount += buffer.byteCount
    waiting[reference.block] = buffer
    references[reference.block] = reference
  }

  /// Forgets a page, and returns whether it was still waiting.
  func remove(_ reference: PageReference) -> Bool {
    precondition(
      references.removeValue(forKey: reference.block) != nil, "a page is given up once")
    guard let buffer = waiting.removeValue(forKey: reference.block) else { return false }
    waitingByteCount -= buffer.byteCount
    return true
  }

  /// Remembers the first error, and passes it on.
  func failing(_ error: StorageError) -> StorageError {
    failure = failure ?? error
    return error
  }

  /// Says that the pages that waited are in the file.
  func waitingWereWritten() {
    waiting.removeAll(keepingCapacity: true)
    waitingByteCount = 0
  }
}
