internal import AtollObjects
internal import Synchronization

/// One persisted property of a class.
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
  /// The class that a property of a class of a file links to; nil for any other property.
  private let linked: LinkedTable?
  /// What is known of that class, found at the first use.
  ///
  /// No cycle: a property that links to its own class holds another descriptor of it.
  private let linkedClass = AtomicLazyReference<ClassDescriptor>()

  private struct LinkedTable: Sendable {
    let table: TableSchema
    /// The classes of the version.
    let schema: AtollObjects.Schema
  }

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
    linked = nil
    isPlain =
      form.kind == .single && form.stored.type != .link && form.stored.type != .mixed
  }

  /// Describes a property of a class that is known from a file only.
  init(_ column: Column, in schema: AtollObjects.Schema) {
    let layout = column.layout
    let kind: _PropertyForm.Kind =
      switch layout.collection {
      case .none: .single
      case .list: .list
      case .set: .set
      case .map: .map
      }
    name = column.name
    columnName = column.name
    position = Int(column.id)
    let isLink = layout.value == .link
    form = _PropertyForm(
      kind,
      _StoredType(
        layout.value, isOptional: layout.isOptional || isLink || layout.value == .mixed,
        target: isLink ? DynamicObject.self : nil))
    var traits: _PropertyTraits = []
    if column.isPrimaryKey { traits.insert(.primaryKey) }
    if column.isIndexed { traits.insert(.indexed) }
    if column.isFullTextIndexed { traits.insert(.fullText) }
    self.traits = traits
    originName = nil
    unset = nil
    storage = DynamicObject.storage(
      of: form, position: position)
    linked =
      isLink
      ? schema.table(id: layout.linkTable).map { LinkedTable(table: $0, schema: schema) } : nil
    isPlain = kind == .single && !isLink && layout.value != .mixed
  }

  /// Stands for a property that a version of a class of a file does not have.
  init(goneFrom position: Int) {
    name = ""
    columnName = ""
    self.position = position
    form = _PropertyForm(.single, _StoredType(.mixed, isOptional: true))
    traits = []
    originName = nil
    unset = nil
    storage = DynamicObject.storage(of: form, position: position)
    linked = nil
    isPlain = false
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
  var isOwning: Bool { linked?.table.isEmbedded ?? target?.isEmbedded() ?? false }
  /// The name in files of the class that links lead to, or come from.
  var targetName: String? { linked?.table.name ?? target?.className() }
  /// The number in its file of the class that a property of a class of a file links to.
  var targetTable: UInt32? { linked?.table.id }
  /// What is known of the class that links lead to, or come from.
  var targetClass: ClassDescriptor? {
    if let linked {
      return linkedClass.load()
        ?? linkedClass.storeIfNil(ClassDescriptor(linked.table, in: linked.schema))
    }
    return target.map { ClassDescriptor.of($0) }
  }

  var collection: CollectionKind {
    switch form.kind {
    case .single, .linkingObjects: .none
    case .list: .list
    case .set: .set
    case .map: .map
    }
  }

  /// Whether a column of a version holds values of the property's type, but for null.
  func isOfType(of column: Column, _ schema: AtollObjects.Schema) -> Bool {
    let layout = column.layout
    guard layout.value == form.stored.type, layout.collection == collection else { return false }
    return layout.value != .link || schema.table(id: layout.linkTable)?.name == targetName
  }

  /// The property as the file is to know it.
  var schema: PropertySchema {
    if let targetName {
      return PropertySchema(columnName, linkTo: targetName, collection: collection)
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
