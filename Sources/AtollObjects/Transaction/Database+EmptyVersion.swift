internal import AtollStorage

extension Database {
  /// Makes a version in memory that has the classes of another one and no objects.
  package static func emptyVersion(
    with classes: VersionClasses
  ) throws(ObjectError) -> Snapshot {
    let database = try inMemory()
    do {
      let storage = try database.store.snapshot()
      let version = storage.extra { reader in
        OpenVersion(catalogue: classes.emptied(storage.transaction), reader: reader)
      }
      return Snapshot(storage: storage, version: version)
    } catch { throw ObjectError(any: error) }
  }
}
