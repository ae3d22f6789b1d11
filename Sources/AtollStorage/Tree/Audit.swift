/// What `check` found wrong, one sentence for people and the place for programs.
public struct CheckFinding: Hashable, Sendable, CustomStringConvertible {
  /// The block of the page concerned; nil when no single page is.
  public var block: UInt64?
  /// What is wrong, in a sentence for people.
  public var message: String

  package init(block: UInt64?, message: String) {
    self.block = block
    self.message = message
  }

  public var description: String { block.map { "block \($0): \(message)" } ?? message }
}

/// Collects what a walk over a whole version sees: who uses which block, and what is wrong.
///
/// One walk serves the command `check`, the tests and the simulator.
package struct Audit {
  /// What is kept of a list that damage, or malice, could make longer than the file.
  private static let findingLimit = 1000

  private var firstFindings: [CheckFinding] = []
  private var omittedCount = 0
  /// The first thousand; how many more there are stands at the end.
  package var findings: [CheckFinding] {
    if omittedCount == 0 { return firstFindings }
    return firstFindings + [CheckFinding(block: nil, message: "\(omittedCount) more findings")]
  }
  package private(set) var pageCount = 0
  /// The damaged pages among those that were visited.
  private var damagedPageCount = 0
  /// Bytes of all payloads as they lie in the file.
  package private(set) var storedByteCount = 0
  private(set) var usedRuns: [BlockRun] = []

  package init() {}

  package mutating func report(_ message: String, block: UInt64? = nil) {
    guard firstFindings.count < Self.findingLimit else {
      omittedCount += 1
      return
    }
    firstFindings.append(CheckFinding(block: block, message: message))
  }

  package mutating func report(_ error: StorageError) {
    if case .corrupted(let block, let corruption) = error {
      report("\(corruption)", block: block)
    } else {
      report("\(error)")
    }
  }

  /// Verifies the page's checksum again and counts its blocks as used; false when it is damaged.
  package mutating func visit(_ reference: PageReference, reader: PageReader) -> Bool {
    do {
      try reader.verify(reference)
      let header = try reader.header(reference)
      pageCount += 1
      storedByteCount += Int(header.storedByteCount)
      usedRuns.append(reference.run)
      return true
    } catch {
      damagedPageCount += 1
      report(error)
      return false
    }
  }

  /// Whether more pages were visited than a version of `blockCount` blocks has room for: they are
  /// shared so often that the walk would not end.
  func hasVisitedMore(than blockCount: UInt64) -> Bool {
    pageCount + damagedPageCount > blockCount
  }
}
