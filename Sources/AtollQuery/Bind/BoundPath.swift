package import AtollObjects

/// The way from an object to values, with every name resolved.
package struct BoundPath: Hashable, Sendable {
  /// The class the path starts at.
  package var root: UInt32
  /// The steps from object to object.
  package var hops: [Hop] = []
  package var terminal: Terminal = .object

  /// A step from an object to other objects.
  package enum Hop: Hashable, Sendable {
    /// A link to at most one object.
    case link(Column)
    /// The link under a key of a map; none when the key is missing.
    case mapEntry(Column, key: MapKey)
    /// One link of a list; none when there are fewer.
    case element(Column, ElementPosition)
    /// All links of a collection.
    case links(Column)
    /// The objects whose `column` leads here, one for each occurrence.
    case backlinks(Column)

    /// The class that the step leads to.
    var target: UInt32 {
      switch self {
      case .link(let column), .mapEntry(let column, _), .element(let column, _),
        .links(let column):
        column.layout.linkTable
      case .backlinks(let column): column.table
      }
    }

    var column: Column {
      switch self {
      case .link(let column), .mapEntry(let column, _), .element(let column, _),
        .links(let column), .backlinks(let column):
        column
      }
    }

    /// Whether the step can lead to several objects.
    var isToMany: Bool {
      switch self {
      case .link, .mapEntry, .element: false
      case .links, .backlinks: true
      }
    }

    /// Whether a step that leads nowhere stands for null; otherwise it stands for no value.
    var keepsNull: Bool {
      switch self {
      case .link, .mapEntry: true
      case .element, .links, .backlinks: false
      }
    }
  }

  /// What is read at the end of the steps.
  package enum Terminal: Hashable, Sendable {
    /// The object itself, as a link.
    case object
    /// A property, and steps into the collections in it.
    case value(Column, [ValueStep])
    /// The keys of a map.
    case keys(Column)
    /// The length of each element of a collection of strings, data or mixed values.
    case elementLengths(Column)
  }

  /// A key of a map: others have other bytes, even if they are the same characters.
  package struct MapKey: Hashable, Sendable {
    let text: String

    init(_ text: String) { self.text = text }

    package static func == (left: MapKey, right: MapKey) -> Bool {
      left.text.utf8.elementsEqual(right.text.utf8)
    }
  }

  /// A place in a list.
  package enum ElementPosition: Hashable, Sendable {
    case index(Int64)
    case first
    case last

    /// The place in a list of `count` elements; nil when it is beyond them.
    func offset(in count: Int) -> Int? {
      switch self {
      case .first: count > 0 ? 0 : nil
      case .last: count > 0 ? count - 1 : nil
      case .index(let index): index >= 0 && index < Int64(count) ? Int(index) : nil
      }
    }
  }

  /// A step into a value that is a collection.
  package enum ValueStep: Hashable, Sendable {
    case position(ElementPosition)
    case all
    case key(MapKey)
    case keys
  }

  /// The class at the end of the steps.
  var lastTable: UInt32 { hops.last?.target ?? root }

  /// Whether the steps can lead to several objects.
  var reachesMany: Bool { hops.contains { $0.isToMany } }

  /// Whether a step that leads nowhere stands for no value rather than for null.
  var dropsNulls: Bool { hops.contains { !$0.keepsNull } }

  /// Whether the end holds several values for one object.
  var endsInCollection: Bool {
    switch terminal {
    case .object: false
    case .keys, .elementLengths: true
    case .value(let column, let steps):
      if steps.isEmpty {
        column.layout.collection != .none
      } else {
        steps.contains { $0 == .all || $0 == .keys }
      }
    }
  }

  /// Whether the end is one value of a collection, found by its place or key.
  ///
  /// With a list of constants it is compared by itself, also behind links to several objects.
  var picksValue: Bool {
    if case .value(_, let steps) = terminal { !steps.isEmpty && !endsInCollection } else { false }
  }

  /// Whether the path has several values, so that a list compares with it element by element.
  var isMultiValued: Bool { reachesMany || endsInCollection }

  /// Whether the path may be quantified: there is a collection on the way.
  var hasCollection: Bool {
    if dropsNulls || endsInCollection { return true }
    if case .value(let column, let steps) = terminal {
      return !steps.isEmpty || column.layout.value == .mixed
    }
    return false
  }

  /// Whether each object reached has a collection of its own, tested one after the other.
  ///
  /// The lengths of elements are one bag, over all objects.
  var hasGroups: Bool {
    if case .elementLengths = terminal { return false }
    return dropsNulls && endsInCollection
  }

  /// Whether the path is one property of the object itself.
  var directColumn: Column? {
    guard hops.isEmpty, case .value(let column, let steps) = terminal, steps.isEmpty else {
      return nil
    }
    return column
  }
}

/// What a value of an expression can be, as far as it is known before a value is seen.
enum StaticType: Equatable {
  case value(ValueType)
  /// A link to an object of this class.
  case object(UInt32)
  case null
  /// The name of a type, from `@type`.
  case typeName

  /// The type's name in messages.
  func name(in schema: Schema) -> String {
    switch self {
    case .value(let type): type.queryName
    case .object(let table): "link to \(schema.table(id: table)?.name ?? "?")"
    case .null: "null"
    case .typeName: "type name"
    }
  }

  /// Whether a value of this type can equal, or be ordered with, one of `other`.
  func isComparable(with other: StaticType) -> Bool {
    switch (self, other) {
    case (.null, _), (_, .null): true
    case (.value(.mixed), .typeName), (.typeName, .value(.mixed)): false
    case (.value(.mixed), _), (_, .value(.mixed)): true
    case (.value(let a), .value(let b)): a == b || a.isNumeric && b.isNumeric
    case (.object(let a), .object(let b)): a == b
    case (.typeName, .typeName): true
    default: false
    }
  }
}
