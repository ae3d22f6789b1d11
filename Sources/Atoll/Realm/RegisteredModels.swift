internal import Synchronization

/// The classes that realms without a list of classes have from the start.
enum RegisteredModels {
  private static let types = Mutex<[ObjectBase.Type]>([])

  static var all: [ObjectBase.Type] {
    types.withLock { $0 }.filter { $0.shouldIncludeInDefaultSchema() }
  }

  static func add(_ new: [ObjectBase.Type]) {
    types.withLock { types in
      for type in new where !types.contains(where: { $0 == type }) { types.append(type) }
    }
  }
}

extension Realm {
  /// Names classes that realms without `objectTypes` have from the start.
  ///
  /// Other classes are added by the first write that uses them, so this matters where one is looked
  /// for by its name, or where a file is to have a class before it is written.
  public static func registerModels(_ types: ObjectBase.Type...) { RegisteredModels.add(types) }
}
