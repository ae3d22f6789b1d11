/// The versions that a damaged file may still hold, to copy what can be read of them.
///
/// Where opening refuses a file because it cannot tell which version is the newest, or because that
/// one is not whole, a copy takes what there is: every page is verified by itself when it is read.
/// Stale pages are never read, as none is reached from the header slot of a later version, nor in
/// use by its space log (`FoundLeaves`).
package enum Salvage {
  /// The versions to try, the most likely first; why opening refuses the file, if it does; and the
  /// version that it would go back from, if it does that.
  ///
  /// - Throws: what opening throws, when no header slot is valid; `.encryption` for a wrong key.
  package static func candidates(in file: any DataFile, key: EncryptionKey?) throws(StorageError)
    -> (versions: [HeaderSlot], refusal: StorageError?, undone: UInt64?)
  {
    let slots = HeaderSlots(file, key: key)
    var found: [HeaderSlot] = []
    var refusal: StorageError?
    var undone: UInt64?
    do throws(StorageError) {
      // The version that opening would choose, if it chooses one.
      let (newest, outcome) = try Recovery(
        slots: slots, coordinator: LocalCoordinator(path: file.path), verified: VerifiedPages(),
        cache: DecodedCache(byteLimit: 1 << 20)
      ).run(makeFileID: nil)
      found.append(newest)
      if case .rolledBack(let from, _) = outcome { undone = from }
    } catch {
      guard case .corrupted = error else { throw error }
      refusal = error
      for case .valid(let slot) in try slots.read() { found.append(slot) }
      guard !found.isEmpty else { throw error }
      found.sort { $0.transaction > $1.transaction }
    }
    let blockCount = try file.byteCount() / UInt64(Block.byteCount)
    // No page is looked for behind the end of a file that was cut short.
    for index in found.indices {
      found[index].blockCount = min(found[index].blockCount, blockCount)
    }
    return (found, refusal, undone)
  }
}

extension PageStore {
  /// Opens one version of a damaged file for reading, whether it is whole or not.
  ///
  /// `version`: one of `Salvage.candidates`. The file must not change meanwhile.
  package convenience init(
    salvaging file: any DataFile, version: HeaderSlot, cacheByteCount: Int, key: EncryptionKey?
  ) {
    let coordinator = LocalCoordinator(path: file.path)
    coordinator.publish(transaction: version.transaction)
    self.init(
      file: file, coordinator: coordinator, cache: DecodedCache(byteLimit: cacheByteCount),
      verified: VerifiedPages(), slots: HeaderSlots(file, key: key), newest: version,
      outcome: .clean)
  }
}
