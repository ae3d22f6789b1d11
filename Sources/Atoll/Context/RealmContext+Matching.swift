internal import AtollObjects
internal import Foundation

extension _RealmContext {
  /// The place of the first of unmanaged objects that a query finds; nil when it finds none.
  ///
  /// Each is asked as a copy in a realm in memory, with copies of all that it leads to. `objects`:
  /// nil stands for what is no object. `find`: gives what the query finds in a collection.
  static func firstMatch(
    among objects: [ObjectBase?], _ find: (_ResultList) throws -> _ResultList
  ) throws -> Int? {
    guard !objects.isEmpty else { return nil }
    let configuration = Realm.Configuration(inMemoryIdentifier: "question \(UUID().uuidString)")
    let context = try RealmOpening(configuration, .current).context()
    return try objects.firstIndex { object in
      guard let object, !type(of: object).isEmbedded() else {
        Misuse.trap(
          "an unmanaged list of values or embedded objects has no query; look with "
            + "firstIndex(where:), or add the object that holds the list first")
      }
      try context.begin()
      defer { context.cancel() }
      let copy = type(of: object).init()
      ValueBridge(context).fill(copy, from: object)
      let row = ObjectAdder(context, policy: .all).add(copy)
      let all = _ResultList(context, type(of: object), from: .objects)
      return try find(all).elements.index(of: row.link) != nil
    }
  }
}
