internal import AtollObjects

extension Migration {
  /// Calls a block with each object that a class had, in its old and its new form.
  ///
  /// The old object cannot be changed; the new one is nil when the class has left. Of a class that is
  /// new the old objects are nil. Objects that the block has deleted are passed over.
  ///
  /// - Parameters:
  ///   - typeName: The name of a class of the old or the new version; of any other there are no
  ///     objects.
  ///   - block: Is called with the two.
  public func enumerateObjects(
    ofType typeName: String, _ block: MigrationObjectEnumerateBlock
  ) {
    work.check()
    work.enumerate(typeName, block)
  }

  /// Makes an object of the new version.
  ///
  /// What the value leaves out has its default in the program's class.
  ///
  /// - Parameters:
  ///   - typeName: The name of a class of the new version.
  ///   - value: A dictionary of properties, an array of them in the order of the file, or an object.
  /// - Returns: The object.
  @discardableResult
  public func create(_ typeName: String, value: Any = [Any]()) -> MigrationObject {
    work.check()
    guard let descriptor = work.newClass(named: typeName) else {
      // After a failure nothing is done any more.
      guard work.failure != nil else {
        Misuse.trap("the new version has no class '\(typeName)'")
      }
      return DynamicObject()
    }
    return work.new.createDynamic(descriptor, value, .error)
  }

  /// Deletes an object of the new version; links to it become nil.
  public func delete(_ object: MigrationObject) {
    work.check()
    if object._row?.context === work.old {
      Misuse.trap(
        "an old object of class '\(object.descriptor.name)' was deleted in a migration; delete the "
          + "new one")
    }
    Realm(work.new).delete(object)
  }

  /// Deletes all objects of a class, and the class itself if the new version does not have it and
  /// no other class links to it.
  ///
  /// - Returns: Whether the file has the class.
  @discardableResult
  public func deleteData(forType typeName: String) -> Bool {
    work.check()
    return work.deleteData(typeName)
  }

  /// Lets a property of the new version have what the file has in one of another name, which is gone.
  ///
  /// The migration fails when the file does not have it, when the class still has it, and when the two
  /// are of different types.
  ///
  /// - Parameters:
  ///   - typeName: The name of the class.
  ///   - oldName: The name in the file.
  ///   - newName: The name in the new version, in the file.
  public func renameProperty(onType typeName: String, from oldName: String, to newName: String) {
    work.check()
    work.rename(oldName, of: typeName, to: newName)
  }
}
