/// Gathers what the records of a data file show of each property.
///
/// Types are decided from all records together: a regular file is read twice, first for this and
/// so that an error anywhere in it stops the import before the first batch; data from a pipe can
/// be read only once, so there each batch is decided alone. `ImportPlan` draws the conclusions.
///
/// Memory follows the number of properties.
struct TypeInference {
  private(set) var recordCount = 0
  private(set) var properties: [PropertyObservation] = []
  /// The first record without the primary key.
  private(set) var firstWithoutPrimaryKey: SourcePosition?
  private let primaryKey: String?
  private var indexes: [String: Int] = [:]

  init(primaryKey: String?) {
    self.primaryKey = primaryKey
  }

  subscript(name: String) -> PropertyObservation? {
    indexes[name].map { properties[$0] }
  }

  mutating func observe(_ record: DataRecord) {
    recordCount += 1
    var hasPrimaryKey = primaryKey == nil
    for (fieldIndex, field) in record.fields.enumerated() {
      properties[index(of: field.name, near: fieldIndex)].observe(field)
      if !hasPrimaryKey, field.name == primaryKey { hasPrimaryKey = true }
    }
    if !hasPrimaryKey, firstWithoutPrimaryKey == nil { firstWithoutPrimaryKey = record.position }
  }

  /// The place of a property, which in most files is that of the field in its record.
  private mutating func index(of name: String, near guess: Int) -> Int {
    if guess < properties.count, properties[guess].name == name { return guess }
    if let index = indexes[name] { return index }
    indexes[name] = properties.count
    properties.append(PropertyObservation(name: name))
    return properties.count - 1
  }
}

/// What the data shows of one property.
struct PropertyObservation {
  let name: String
  /// In how many records the property is named, be it with null.
  private(set) var recordCount = 0
  private(set) var firstNull: SourcePosition?
  private(set) var values = KindObservation()
  private(set) var elements = KindObservation()
  private(set) var firstNullElement: SourcePosition?

  init(name: String) {
    self.name = name
  }

  fileprivate mutating func observe(_ field: DataField) {
    recordCount += 1
    guard let kind = values.kind(of: field.value) else {
      if firstNull == nil { firstNull = field.position }
      return
    }
    values.observe(kind, at: field.position)
    guard case .list(let list) = field.value else { return }
    for element in list {
      if let kind = elements.kind(of: element.value) {
        elements.observe(kind, at: element.position)
      } else if firstNullElement == nil {
        firstNullElement = element.position
      }
    }
  }
}

/// The kinds of value met, each with the place where it was met first.
struct KindObservation {
  private(set) var kinds: DataKindSet = []
  private var first: [(kind: DataKind, position: SourcePosition)] = []

  var isEmpty: Bool { first.isEmpty }

  func kind(of value: DataValue) -> DataKind? {
    // Once one string is no date, that others are changes nothing.
    DataKind(value, dates: !kinds.contains(.string) && !kinds.contains(.text))
  }

  @inline(__always)
  mutating func observe(_ kind: DataKind, at position: SourcePosition) {
    guard !kinds.contains(kind) else { return }
    kinds.insert(DataKindSet(kind))
    first.append((kind, position))
  }

  /// The kind that was met first, and where.
  var earliest: (kind: DataKind, position: SourcePosition)? { first.first }

  /// The first meeting of a kind that is not among `allowed`.
  func earliest(outside allowed: DataKindSet) -> (kind: DataKind, position: SourcePosition)? {
    first.first { !allowed.contains($0.kind) }
  }
}
