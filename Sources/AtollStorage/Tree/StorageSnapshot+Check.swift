/// How the blocks of one version are used.
public struct SpaceUse: Equatable, Sendable {
  /// Blocks of the file, header slots included.
  public var blockCount: UInt64 = 0
  /// Blocks of pages that the version reaches.
  public var liveBlockCount: UInt64 = 0
  /// Blocks that the next page may take.
  public var freeBlockCount: UInt64 = 0
  /// Blocks of pages that only older versions reach.
  public var retiredBlockCount: UInt64 = 0
}

extension StorageSnapshot {
  /// What the version's space log says.
  public func spaceUse() throws(StorageError) -> SpaceUse {
    let space = try SpaceState(slot: slot, reader: reader)
    let free = space.free.blockCount
    let retired = space.retired.blockCount
    return SpaceUse(
      blockCount: slot.blockCount,
      liveBlockCount: slot.blockCount - Block.firstPage - free - retired,
      freeBlockCount: free, retiredBlockCount: retired)
  }

  /// Compares what a walk over all trees has seen with what the space log says.
  ///
  /// Rules: every block of the file is a header slot, in use by exactly one page,
  /// free, or retired, and never two of these. The header slots verify.
  package func checkSpace(_ audit: inout Audit) {
    checkSlots(&audit)
    do {
      let space = try SpaceState(slot: slot, reader: reader)
      for page in space.logPages { _ = audit.visit(page.reference, reader: reader) }
      var uses = audit.usedRuns.map { ($0, StorageError.Structure.sharedPage) }
      uses += space.free.runs.map { ($0, .freePageInUse) }
      uses += space.retired.all.map { ($0.run, .freePageInUse) }
      uses.sort { $0.0.start < $1.0.start }
      var end = Block.firstPage
      var isComplete = audit.findings.isEmpty
      for (run, overlap) in uses {
        if run.start < end {
          audit.report(.corrupted(block: run.start, .structure(overlap)))
          isComplete = false
        } else if run.start > end, isComplete {
          audit.report(.corrupted(block: end, .structure(.lostPage)))
        }
        end = max(end, run.end)
      }
      if end != slot.blockCount, isComplete {
        audit.report(.corrupted(block: end, .structure(.lostPage)))
      }
    } catch {
      audit.report(error)
    }
  }

  private func checkSlots(_ audit: inout Audit) {
    do {
      for (block, reading) in zip(0..<Block.firstPage, try reader.source.slots.read()) {
        switch reading {
        case .valid(let found):
          if found.fileID != slot.fileID {
            audit.report("the header slot belongs to another file", block: block)
          }
        case .torn: continue  // a commit that was cut short; another slot holds the version
        case .blank:
          if slot.transaction > 1 {
            audit.report("the header slot is blank", block: block)
          }
        case .damaged, .notASlot, .otherFormat, .locked:
          audit.report("the header slot is damaged", block: block)
        }
      }
    } catch {
      audit.report(error)
    }
  }
}
