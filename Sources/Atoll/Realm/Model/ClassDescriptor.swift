internal import AtollObjects
internal import Synchronization

/// What is known of one model class, found once by looking at an instance of it.
///
/// Immutable but for the prototype's properties.
// Sendable: nothing changes the prototype's properties after the discovery.
@usableFromInline
final class ClassDescriptor: @unchecked Sendable {
  let type: ObjectBase.Type
  /// The name of the class in files.
  let name: String
  /// The stored properties, base class first, and then those that are computed.
  let properties: [PropertyDescriptor]
  /// The stored single properties that are no links.
  let plainProperties: [PropertyDescriptor]
  /// The others.
  let linkingProperties: [PropertyDescriptor]
  /// How many properties are stored.
  let storedCount: Int
  let isEmbedded: Bool
  let isAsymmetric: Bool
  /// The primary key among the properties.
  let primaryKey: PropertyDescriptor?
  /// An instance in which each `@Persisted` knows its position.
  let prototype: ObjectBase
  /// What is wrong with the declaration, in sentences.
  let problems: [String]
  private let positions: [String: Int]

  init(_ type: ObjectBase.Type) {
    var discovery = ClassDiscovery(type)
    self.type = type
    name = discovery.name
    prototype = discovery.prototype
    isEmbedded = type.isEmbedded()
    isAsymmetric = type.isAsymmetric()
    let properties = discovery.properties()
    self.properties = properties
    plainProperties = properties.filter(\.isPlain)
    linkingProperties = properties.filter { !$0.isPlain }
    storedCount = properties.count { !$0.isComputed }
    primaryKey = properties.first { $0.isPrimaryKey }
    problems = discovery.problems
    positions = Dictionary(
      properties.flatMap { [($0.name, $0.position), ($0.columnName, $0.position)] },
      uniquingKeysWith: { first, _ in first })
  }

  /// The property of this Swift name or name in the file.
  func property(_ name: String) -> PropertyDescriptor? { positions[name].map { properties[$0] } }

  /// The classes that links of this class lead to.
  var targets: [ObjectBase.Type] { properties.compactMap(\.form.stored.target) }

  /// The class as the file is to know it.
  var schema: ClassSchema {
    ClassSchema(
      name, properties: properties.filter { !$0.isComputed }.map(\.schema),
      primaryKey: primaryKey?.columnName, isEmbedded: isEmbedded, isAsymmetric: isAsymmetric)
  }

  // MARK: Known classes

  /// The descriptor of the class that has a name in files, if it was mentioned.
  static func known(named name: String) -> ClassDescriptor? {
    known.withLock { known in known.values.first { $0.name == name } }
  }

  private static let known = Mutex<[ObjectIdentifier: ClassDescriptor]>([:])

  /// The descriptor of a class; found out at the first mention.
  ///
  /// An initializer of a class may mention other classes, or its own, so no lock is held meanwhile.
  @usableFromInline
  static func of(_ type: ObjectBase.Type) -> ClassDescriptor {
    let id = ObjectIdentifier(type)
    if let descriptor = known.withLock({ $0[id] }) { return descriptor }
    let made = ClassDescriptor(type)
    return known.withLock { known in
      if let descriptor = known[id] { return descriptor }
      known[id] = made
      return made
    }
  }
}
