internal import AtollCapture
internal import AtollObjects

extension OperationFit {
  /// The maximum bytes of the path to a place inside a unit, which the server stores beside it.
  private static let wayByteCountLimit = InnerRecord.nameByteCountLimit

  /// The property of an embedded object that a place is; nil for an entry of a map.
  static func property(
    at place: InnerPlace, in property: String, _ operation: Operation, _ schema: Schema
  ) -> Column? {
    var column = schema.table(operation.object.className)?.column(property)
    for name in place.names {
      guard let layout = column?.layout, layout.value == .link else { return nil }
      column = schema.table(id: layout.linkTable)?.column(name)
    }
    return column
  }

  /// Why a change inside a unit does not fit the schema; nil when it does.
  static func problem(
    _ path: UnitPath, _ place: InnerPlace, _ change: InnerChange, in table: TableSchema,
    _ schema: Schema
  ) -> Refusal? {
    guard let property = path.property, let column = table.column(property) else {
      return Refusal(.unknownSchema, text: "no such property in \(table.name)")
    }
    let name = "\(table.name).\(property)"
    let mismatch = Refusal(.typeMismatch, text: "\(name) is of type \(column.layout.description)")
    let collection: CollectionKind
    switch path {
    case .existence: return mismatch
    case .property: collection = .none
    case .element: collection = .list
    case .entry(_, .string): collection = .map
    case .entry: return mismatch
    }
    guard column.layout.collection == collection, !column.isPrimaryKey else { return mismatch }
    guard place.nameByteCount <= wayByteCountLimit else {
      return Refusal(
        .tooLarge, text: "more than \(wayByteCountLimit) bytes of keys lead into \(name)")
    }
    if case .set(let value) = change, byteCount(value) > byteCountLimit {
      return Refusal(.tooLarge, text: "more than \(byteCountLimit) bytes for \(name)")
    }
    // The path leads through an embedded object, which is named, or through maps only.
    let fits =
      (place.incarnation == nil) == (column.layout.value == .mixed)
      && fits(
        change, place.names[...], column.layout, depth: collection == .none ? 0 : 1, schema)
    guard fits else {
      let way = PeerText.shortened(place.names.joined(separator: "."))
      return Refusal(.typeMismatch, text: "\(name) has no such value at \(way)")
    }
    return nil
  }

  /// Whether a change fits the property at the end of the path.
  private static func fits(
    _ change: InnerChange, _ names: ArraySlice<String>, _ layout: ColumnLayout, depth: Int,
    _ schema: Schema
  ) -> Bool {
    guard let name = names.first else { return false }
    if layout.value == .mixed {
      return switch change {
      case .set(let value): isMixed(value, depth: depth + names.count, schema)
      case .remove: true
      case .increment: false
      }
    }
    guard layout.value == .link, let target = schema.table(id: layout.linkTable),
      target.isEmbedded, let column = target.column(name)
    else { return false }
    guard names.count == 1 else {
      return column.layout.collection == .none
        && fits(change, names.dropFirst(), column.layout, depth: 0, schema)
    }
    return switch change {
    case .remove: true
    case .set(let value): fits(value, column.layout, schema)
    case .increment(_, let startsAtZero):
      column.layout.value == .int && column.layout.collection == .none
        && startsAtZero == !column.layout.allowsNull
    }
  }
}
