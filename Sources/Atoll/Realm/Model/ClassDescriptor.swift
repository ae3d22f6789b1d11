internal import AtollObjects
internal import Synchronization

/// What is known of one class: of a model class of the program, found once by looking at an instance
/// of it, or of a class that only a file knows.
///
/// Immutable but for the prototype's properties.
// Sendable: nothing changes the prototype's properties after the discovery.
@usableFromInline
final class ClassDescriptor: @unchecked Sendable {
  let type: ObjectBase.Type
  /// The class as a version of a file has it; nil for a class of the program.
  let table: TableSchema?
  /// The name of the class in files.
  let name: String
  /// The stored properties, base class first, and then those that are computed.
  let properties: [PropertyDescriptor]
  /// By their positions: the same, and in a class of a file also what it does not have any more.
  private let places: [PropertyDescriptor]
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
  /// The numbers of columns that are there, and are no properties.
  let hidden: Set<UInt32>
  private let positions: [String: Int]

  init(_ type: ObjectBase.Type) {
    var discovery = ClassDiscovery(type)
    self.type = type
    table = nil
    name = discovery.name
    prototype = discovery.prototype
    isEmbedded = type.isEmbedded()
    isAsymmetric = type.isAsymmetric()
    let properties = discovery.properties()
    self.properties = properties
    places = properties
    plainProperties = properties.filter(\.isPlain)
    linkingProperties = properties.filter { !$0.isPlain }
    storedCount = properties.count { !$0.isComputed }
    primaryKey = properties.first { $0.isPrimaryKey }
    problems = discovery.problems
    hidden = []
    positions = Self.positions(of: properties)
  }

  /// Describes a class that the program knows from a file only.
  ///
  /// A property has the number of its column as its position, in whatever version.
  ///
  /// - Parameters:
  ///   - table: The class.
  ///   - schema: The classes of the version.
  ///   - hidden: The numbers of columns that are there, and are no properties.
  init(_ table: TableSchema, in schema: AtollObjects.Schema, hiding hidden: Set<UInt32> = []) {
    type = DynamicObject.self
    self.table = table
    name = table.name
    prototype = DynamicObject()
    isEmbedded = table.isEmbedded
    isAsymmetric = table.isAsymmetric
    let made = table.columns.map { PropertyDescriptor($0, in: schema) }
    let byColumn = Dictionary(
      made.map { ($0.position, $0) }, uniquingKeysWith: { first, _ in first })
    places = (0..<(made.map(\.position).max() ?? -1) + 1).map {
      byColumn[$0] ?? PropertyDescriptor(goneFrom: $0)
    }
    let properties = made.filter { !hidden.contains(UInt32($0.position)) }
    self.properties = properties
    plainProperties = properties.filter(\.isPlain)
    linkingProperties = properties.filter { !$0.isPlain }
    storedCount = properties.count
    primaryKey = properties.first { $0.isPrimaryKey }
    problems = []
    self.hidden = hidden
    positions = Self.positions(of: properties)
  }

  private static func positions(of properties: [PropertyDescriptor]) -> [String: Int] {
    Dictionary(
      properties.flatMap { [($0.name, $0.position), ($0.columnName, $0.position)] },
      uniquingKeysWith: { first, _ in first })
  }

  /// The property of this Swift name or name in the file.
  func property(_ name: String) -> PropertyDescriptor? { positions[name].map { places[$0] } }

  /// The property at a position that some version of the class has.
  func property(at position: Int) -> PropertyDescriptor {
    // Of a class of a file another version may have more.
    position < places.count ? places[position] : PropertyDescriptor(goneFrom: position)
  }

  /// Whether the program knows the class from a file only.
  var isDynamic: Bool { table != nil }

  /// Whether both describe one class: a type, or the class of a number in one file.
  func isSame(as other: ClassDescriptor) -> Bool {
    self === other || table != nil && table?.id == other.table?.id
  }

  /// Makes an unmanaged object of the class.
  func newObject() -> ObjectBase {
    guard isDynamic else { return type.init() }
    return DynamicObject(of: self)
  }

  /// The columns of the stored properties in a version of the class, by their positions; one of another
  /// type is none.
  func columns(in table: TableSchema, of schema: AtollObjects.Schema) -> [Column] {
    if isDynamic {
      return places.map { property in
        table.column(id: UInt32(property.position)) ?? .absent(property.schema, of: table)
      }
    }
    return places.prefix(storedCount).map { property in
      guard let column = table.column(property.columnName), property.isOfType(of: column, schema)
      else { return .absent(property.schema, of: table) }
      return column
    }
  }

  /// The class as the file is to know it.
  var schema: ClassSchema {
    ClassSchema(
      name, properties: propertySchemas, primaryKey: primaryKey?.columnName,
      isEmbedded: isEmbedded, isAsymmetric: isAsymmetric, indexes: indexSchemas)
  }

  // MARK: Known classes

  /// The descriptor of the class that has a name in files, if it was mentioned.
  static func known(named name: String) -> ClassDescriptor? {
    known.withLock { known in known.values.first { $0.name == name } }
  }

  /// As `known`, where it is the only one that was mentioned.
  static func onlyKnown(named name: String) -> ClassDescriptor? {
    known.withLock { known in
      let named = known.values.filter { $0.name == name }
      return named.count == 1 ? named.first : nil
    }
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

extension Column {
  /// The number of a column that no leaf has.
  private static let absentID = UInt32.max

  /// Stands for a property that is not in a version: of a frozen or read-only realm, or after a
  /// write was cancelled that had added it.
  static func absent(_ property: PropertySchema, of table: TableSchema) -> Column {
    let layout = ColumnLayout(
      property.type, property.collection,
      isOptional: property.isOptional || property.type == .link && property.collection == .none)
    return Column(
      name: property.name, id: absentID, table: table.id, layout: layout,
      isIndexed: false, isFullTextIndexed: false, isPrimaryKey: false)
  }

  /// Whether it stands for a property that the version does not have.
  var isAbsent: Bool { id == Self.absentID }
}

extension ObjectBase {
  /// What is known of the object's class.
  final var descriptor: ClassDescriptor {
    if let row = _row { return row.access.descriptor }
    let type = Swift.type(of: self)
    if type == DynamicObject.self, let known = (self as? DynamicObject)?.known { return known }
    return ClassDescriptor.of(type)
  }
}
