internal import AtollObjects

extension _RealmContext {
  /// Brings the file to the version of the configuration, with the app's block.
  ///
  /// In one transaction: when anything fails, nothing of it was made.
  ///
  /// - Parameters:
  ///   - block: Moves the data.
  ///   - descriptors: The classes that the program has named.
  /// - Throws: What the block has failed with, or why the file cannot be brought to the classes.
  func migrate(_ block: MigrationBlock, _ descriptors: [ClassDescriptor]) throws {
    let new = _RealmContext(
      file: file, configuration: configuration, confinement: confinement,
      version: ReadVersion(snapshot))
    try new.begin()
    defer { new.cancel() }
    // Another process may have been faster.
    guard let transaction = new.transaction,
      let before = try SchemaVersion.begin(transaction, configuration)
    else { return }
    let old = _RealmContext(
      file: file, configuration: configuration, confinement: confinement,
      version: ReadVersion(new.snapshot))
    let work = MigrationWork(configuration, old: old, new: new, ClassClosure.of(descriptors))
    defer { work.end() }
    do {
      work.prepare()
      if work.failure == nil { block(Migration(work), before) }
      try work.finish()
      try SchemaVersion.noteMoved(transaction, configuration)
      try new.commit()
    } catch {
      // What could not be read or written may be why.
      let failure = new.writeFailure
      new.writeFailure = nil
      throw failure ?? error
    }
  }
}
