/// The leaves of a damaged version that are found without their parents.
///
/// A page names its block, its tree and its birth, and its header holds the checksum of the rest,
/// so it can be verified without a reference to it. Which pages the version still uses, its space
/// log tells; where that cannot be read nothing is looked for, as pages of older versions, with
/// objects that were deleted, would come back as if they were its own.
package struct FoundLeaves {
  private var references: [UInt32: [PageReference]] = [:]

  /// Cost: a look at each block that is in use, and the checksum of each page.
  package init(in snapshot: StorageSnapshot) {
    let reader = snapshot.reader
    guard let space = Self.space(of: reader) else { return }
    var block = Block.firstPage
    while block < reader.blockCount {
      guard !space.idle.intersects(BlockRun(start: block, count: 1)),
        let (header, reference) = Self.page(at: block, reader),
        !space.idle.intersects(reference.run)
      else {
        block += 1
        continue
      }
      if header.kind == .rowGroup || header.kind == .keyValueLeaf {
        references[header.treeID, default: []].append(reference)
      }
      block = reference.run.end
    }
  }

  /// The row groups or key-value leaves of a tree, in the order of their blocks.
  package subscript(treeID: UInt32) -> [PageReference] { references[treeID] ?? [] }

  /// The space of the version as its header slot has it, which may be longer than a file that was
  /// cut.
  private static func space(of reader: PageReader) -> SpaceState? {
    guard let readings = try? reader.source.slots.read() else { return nil }
    for case .valid(let slot) in readings where slot.transaction == reader.transaction {
      if let space = try? SpaceState(slot: slot, reader: reader) { return space }
    }
    return nil
  }

  /// The page that begins at `block`, if one does that agrees with itself.
  private static func page(at block: BlockNumber, _ reader: PageReader)
    -> (PageHeader, PageReference)?
  {
    guard let page = try? reader.likelyPage(at: block), page.run.canBePage(below: reader.blockCount)
    else { return nil }
    let reference = PageReference(run: page.run, checksum: page.checksum)
    do throws(StorageError) {
      try reader.verify(reference)
      return (try reader.header(reference), reference)
    } catch {
      return nil
    }
  }
}
