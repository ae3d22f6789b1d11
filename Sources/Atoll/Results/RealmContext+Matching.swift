internal import AtollObjects
internal import AtollQuery
internal import Foundation

extension _RealmContext {
  /// The place of the first of unmanaged objects that a query finds; nil when it finds none.
  ///
  /// They are asked as copies in a realm in memory, with copies of all that they lead to, which
  /// stand for the objects among the arguments, too. Several of them may have one primary key.
  ///
  /// `objects`: nil stands for what is no object. `find`: gives what the query finds in a
  /// collection.
  ///
  /// Cost: so many at once that an object is copied a few times only, however many lead to it; each
  /// by itself where it matters what else there is.
  static func firstMatch(
    among objects: [ObjectBase?], _ find: (_ResultList) throws -> _ResultList
  ) throws -> Int? {
    guard !objects.isEmpty else { return nil }
    do { return try firstMatch(among: objects, haveKeys: false, find) } catch is QueryError {
      // It may name an object by its key.
      return try firstMatch(among: objects, haveKeys: true, find)
    }
  }

  /// `haveKeys`: whether one key stands for one object, the later of two that have it.
  private static func firstMatch(
    among objects: [ObjectBase?], haveKeys: Bool, _ find: (_ResultList) throws -> _ResultList
  ) throws -> Int? {
    var configuration = Realm.Configuration(inMemoryIdentifier: "question \(UUID().uuidString)")
    configuration.hasPrimaryKeys = haveKeys
    let context = try RealmOpening(configuration, .current).context()
    var start = 0
    while start < objects.count {
      let group = objects[start..<min(8 * start + 1, objects.count)]
      switch try context.match(among: group, find) {
      case .found(let index): return index
      case .none: break
      case .unknown:
        for index in group.indices {
          if case .found(let index) = try context.match(among: objects[index...index], find) {
            return index
          }
        }
      }
      start = group.endIndex
    }
    return nil
  }

  private enum Match {
    case found(Int)
    case none
    /// The objects cannot be asked at once.
    case unknown
  }

  /// Asks copies of objects, in a write that is undone.
  private func match(
    among objects: ArraySlice<ObjectBase?>, _ find: (_ResultList) throws -> _ResultList
  ) throws -> Match {
    let objects = objects.indices.map { index in (index: index, object: asked(objects[index])) }
    let type = objects[0].object.descriptor.type
    guard type != DynamicObject.self,
      objects.allSatisfy({ Swift.type(of: $0.object) == type })
    else { return .unknown }
    try begin()
    let bridge = ValueBridge(self)
    copies = bridge.knownCopy(of:)
    defer {
      copies = nil
      // What cannot be copied was told by the realm that it is of.
      writeFailure = nil
      cancel()
    }
    let objectCopies = objects.map { bridge.copy(of: $0.object) }
    let adder = ObjectAdder(self, policy: configuration.hasPrimaryKeys ? .all : .error)
    let rows = objectCopies.compactMap { adder.add($0) }
    guard rows.count == objects.count else { return .unknown }
    let found = try find(_ResultList(self, ClassDescriptor.of(type), from: .objects))
    if objects.count > 1 {
      guard try found.isByObject() else { return .unknown }
      // Of two objects with one key the later would be asked for both.
      let addresses = Set(bridge.allCopies.compactMap { $0._row?.address })
      guard addresses.count == bridge.allCopies.count else { return .unknown }
    }
    let keys = Set(found.elements.keys)
    let first = zip(objects, rows).first { keys.contains($1.key) }
    return first.map { .found($0.0.index) } ?? .none
  }

  private func asked(_ object: ObjectBase?) -> ObjectBase {
    guard let object, !object.descriptor.isEmbedded else {
      Misuse.trap(
        "an unmanaged list of values or embedded objects has no query; look with "
          + "firstIndex(where:), or add the object that holds the list first")
    }
    return object
  }
}
