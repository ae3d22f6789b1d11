package import AtollStorage

extension Database {
  /// Copies everything that can still be read of a damaged file into a new one.
  ///
  /// Every page is verified before anything of it is copied, and only pages that the newest
  /// readable version uses are looked at, so nothing old or deleted comes back: those that it
  /// reaches, and, where a page above them is damaged, those that it has by its list of free space.
  /// What is lost is listed: objects by their class and keys, values by their property; links to
  /// lost objects are cleared. Indexes are built again. The damaged file is not changed.
  ///
  /// - Parameters:
  ///   - path: The damaged file.
  ///   - newPath: The new file, which must not exist.
  ///   - options: How the new file is opened; with the key of the damaged one if that is encrypted.
  ///   - progress: Is told the share of the work that is done, now and then.
  /// - Returns: What was copied and what was lost.
  /// - Throws: what opening throws when no header slot is valid; `.storage(.corrupted)` when the
  ///   list of classes cannot be read; `.storage(.inUse)` when another process has the file open.
  ///   No new file is left behind then.
  public static func salvage(
    _ path: String, to newPath: String, options: Options = Options(),
    progress: (Double) -> Void = { _ in }
  ) throws(ObjectError) -> SalvageReport {
    do {
      let key = try options.encryptionKey.map { try EncryptionKey($0, path: path) }
      let file = try PosixFile(path: path, mode: .readOnly)
      try Recovery.refuseForeign(file, isCreating: false)
      let coordinator = try soleCoordinator(for: file)
      defer { coordinator.close() }
      // Another process that opens the file now waits until the copy is made.
      try coordinator.lockWriter()
      defer { coordinator.unlockWriter() }
      try refuseExisting(newPath)
      do {
        let (report, copy) = try salvage(file, key) { () throws in
          try Database.open(newPath, options: options)
        } progress: {
          progress($0)
        }
        try copy.close()
        return report
      } catch {
        PosixFile.removeDatabase(newPath)
        throw error
      }
    } catch { throw ObjectError(any: error) }
  }

  /// Copies what can be read of `file` into the database that `make` makes, and returns that too.
  ///
  /// The file must not change meanwhile.
  package static func salvage(
    _ file: any DataFile, _ key: EncryptionKey?, into make: () throws -> Database,
    progress: (Double) -> Void
  ) throws -> (SalvageReport, Database) {
    let (versions, refusal, undone) = try Salvage.candidates(in: file, key: key)
    // A header slot that is damaged may have held a newer version.
    var firstError: ObjectError?
    if case .corrupted(let block, _)? = refusal, block < Block.firstPage {
      firstError = refusal.map { ObjectError.storage($0) }
    }
    for candidate in versions {
      let source = Database(
        store: PageStore(salvaging: file, version: candidate, cacheByteCount: 16 << 20, key: key))
      let snapshot: Snapshot
      do throws(ObjectError) { snapshot = try source.snapshot() } catch {
        firstError = firstError ?? error
        continue
      }
      // An older version without anything in it is no copy of a newer one.
      if firstError != nil, snapshot.schema.tables.isEmpty { continue }
      let copy = try make()
      let transaction = try copy.beginWrite()
      var salvage = SalvageRun(snapshot, transaction)
      if firstError != nil || undone != nil { salvage.noteNewerVersion(firstError) }
      do {
        try salvage.run(progress: progress)
        try transaction.commit()
      } catch {
        transaction.cancel()
        throw error
      }
      return (salvage.report, copy)
    }
    throw firstError ?? .storage(.corrupted(block: 0, .structure(.headerSlot)))
  }
}
