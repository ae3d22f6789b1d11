internal import AtollObjects

/// One persisted property of a model class.
final class PropertyDescriptor: Sendable {
  /// The name in Swift.
  let name: String
  /// The name in the file.
  let columnName: String
  /// The place among the properties of the class.
  let position: Int
  let form: _PropertyForm
  let traits: _PropertyTraits
  /// For linking objects: the name of the property whose links are followed backwards.
  let originName: String?
  /// What the file holds for the declared default of a single property that is no link; nil where
  /// none is declared.
  let unset: _StoredValue?
  /// Reads and writes the property of any instance.
  let storage: any PropertyStorage

  init(
    name: String, columnName: String, position: Int, form: _PropertyForm,
    traits: _PropertyTraits, originName: String?, unset: _StoredValue?,
    storage: any PropertyStorage
  ) {
    self.name = name
    self.columnName = columnName
    self.position = position
    self.form = form
    self.traits = traits
    self.originName = originName
    self.unset = unset
    self.storage = storage
    isPlain =
      form.kind == .single && form.stored.type != .link && form.stored.type != .mixed
  }

  /// Whether a new object has something else in a single property than what the file holds where
  /// nothing was set.
  var hasDefault: Bool {
    if let unset { return form.stored.isOptional ? !unset.isNull : !unset.isZero }
    // The first case of an enum.
    return storage.hasKnownValues && !form.stored.isOptional
  }

  /// Whether the property holds a single value in which no link can be.
  let isPlain: Bool
  var isPrimaryKey: Bool { traits.contains(.primaryKey) }
  var isIndexed: Bool { traits.contains(.indexed) && !isPrimaryKey }
  var isComputed: Bool { form.kind == .linkingObjects }
  var isCollection: Bool { form.kind != .single && form.kind != .linkingObjects }
  var target: ObjectBase.Type? { form.stored.target }
  /// Whether the property owns objects of an embedded class.
  var isOwning: Bool { target?.isEmbedded() ?? false }

  var collection: CollectionKind {
    switch form.kind {
    case .single, .linkingObjects: .none
    case .list: .list
    case .set: .set
    case .map: .map
    }
  }

  /// The property as the file is to know it.
  var schema: PropertySchema {
    if let target {
      return PropertySchema(columnName, linkTo: target.className(), collection: collection)
    }
    return PropertySchema(
      columnName, form.stored.type, collection: collection, isOptional: form.stored.isOptional,
      isIndexed: isIndexed, isFullTextIndexed: traits.contains(.fullText))
  }
}

extension _StoredValue {
  /// Whether the value is what the file holds in a required property that was never set.
  fileprivate var isZero: Bool {
    switch self {
    case .bool(let value): !value
    case .int(let value): value == 0
    case .float(let value): value == 0
    case .double(let value): value == 0
    case .string(let value): value.isEmpty
    case .data(let value): value.isEmpty
    default: false
    }
  }
}
