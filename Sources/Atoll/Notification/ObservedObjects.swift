internal import AtollObjects

/// Which changes of the objects in a collection count as modifications.
struct ObservedObjects {
  /// The class of the objects; nil for a collection of values.
  private let descriptor: ClassDescriptor?
  private let context: _RealmContext
  /// Nil: everything that is reached over four links.
  private let keyPaths: [ObservedPath]?

  init(_ descriptor: ClassDescriptor?, _ context: _RealmContext, _ keyPaths: [String]?) {
    self.descriptor = descriptor
    self.context = context
    self.keyPaths = keyPaths.map { paths in
      guard let descriptor else {
        Misuse.trap("a collection of values has no properties to observe")
      }
      return paths.map { ObservedPath($0, on: descriptor) }
    }
  }

  /// The objects that count as changed.
  func changed(_ difference: VersionDifference) throws -> Set<ObjectKey> {
    // Of a class that the file does not have there are no objects.
    guard let descriptor, let table = context.access(descriptor)?.table.id else { return [] }
    guard let keyPaths else { return try difference.reached(table) }
    var keys: Set<ObjectKey> = []
    for path in keyPaths { keys.formUnion(try difference.reached(table, path: path.steps[...])) }
    return keys
  }
}

extension ObservedObjects {
  /// Returns what finds out whether a value of a collection is an object that counts as changed; a
  /// mixed value may also be a collection that holds one.
  func test(_ difference: VersionDifference) throws -> (_StoredValue) throws -> Bool {
    guard descriptor == nil else {
      let keys = try changed(difference)
      return { value in value.link.map { keys.contains(ObjectKey(rawValue: $0.key)) } ?? false }
    }
    return { value in
      try value.hasLink { try difference.reached($0.table).contains(ObjectKey(rawValue: $0.key)) }
    }
  }
}

extension _StoredValue {
  /// Whether a link that the value is or holds passes a test.
  fileprivate func hasLink(where isMeant: (ObjectLink) throws -> Bool) rethrows -> Bool {
    switch self {
    case .link(let link): try isMeant(link)
    case .list(let elements), .set(let elements):
      try elements.contains { try $0.hasLink(where: isMeant) }
    case .map(let map): try map.entries.contains { try $0.value.hasLink(where: isMeant) }
    default: false
    }
  }
}
