import AtollObjects

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
  let shape: ImportShape
  private let primaryKey: String?
  private var indexes: [String: Int] = [:]

  init(primaryKey: String?, shape: ImportShape = ImportShape()) {
    self.primaryKey = primaryKey
    self.shape = shape
  }

  subscript(name: String) -> PropertyObservation? {
    indexes[name].map { properties[$0] }
  }

  mutating func observe(_ record: DataRecord) {
    observe(record.fields, at: record.position)
  }

  fileprivate mutating func observe(_ fields: [DataField], at position: SourcePosition) {
    recordCount += 1
    var hasPrimaryKey = primaryKey == nil
    for (fieldIndex, field) in fields.enumerated() {
      properties[index(of: field.name, near: fieldIndex)].observe(field)
      if !hasPrimaryKey, field.name == primaryKey { hasPrimaryKey = true }
    }
    if !hasPrimaryKey, firstWithoutPrimaryKey == nil { firstWithoutPrimaryKey = position }
  }

  /// Merges the inference of other records.
  mutating func merge(_ other: TypeInference) {
    recordCount += other.recordCount
    for observation in other.properties {
      properties[index(of: observation.name, near: 0)].merge(observation)
    }
  }

  /// The place of a property, which in most files is that of the field in its record.
  private mutating func index(of name: String, near guess: Int) -> Int {
    if guess < properties.count, properties[guess].name == name { return guess }
    if let index = indexes[name] { return index }
    indexes[name] = properties.count
    properties.append(
      PropertyObservation(
        name: name, exacting: shape.exacting(name), embedded: shape.inside(name)))
    return properties.count - 1
  }
}

/// The values of one property, by kind.
struct PropertyObservation {
  let name: String
  /// In how many records the property is named, be it with null.
  private(set) var recordCount = 0
  private(set) var values = KindObservation()
  /// The elements of lists.
  private(set) var elements = KindObservation()
  /// The values of objects, under any name.
  private(set) var entries = KindObservation()
  /// The properties of the objects when they are embedded objects; else nil.
  var embedded: TypeInference? { nested.first }
  /// The first value that does not fit the type given by an option or the file, or that fits no
  /// type.
  private(set) var firstMisfit: ImportError?
  private var nested: [TypeInference] = []
  private let exacting: PlannedProperty?

  /// `exacting` is the property that each value is tried in.
  init(name: String, exacting: PlannedProperty? = nil, embedded: ImportShape? = nil) {
    self.name = name
    self.exacting = exacting
    nested = embedded.map { [TypeInference(primaryKey: nil, shape: $0)] } ?? []
  }

  fileprivate mutating func observe(_ field: DataField) {
    recordCount += 1
    guard values.observe(field.value, at: field.position) else { return }
    switch field.value {
    case .list(let list):
      for element in list {
        if elements.observe(element.value, at: element.position) {
          checkType(of: element.value, at: element.position)
        }
        observeEmbedded(element.value, at: element.position)
      }
    case .object(let fields):
      guard nested.isEmpty else {
        observeEmbedded(field.value, at: field.position)
        return
      }
      for entry in fields where entries.observe(entry.value, at: entry.position) {
        checkType(of: entry.value, at: entry.position)
      }
    default: checkType(of: field.value, at: field.position)
    }
  }

  private mutating func observeEmbedded(_ value: DataValue, at position: SourcePosition) {
    guard !nested.isEmpty, case .object(let fields) = value else { return }
    nested[0].observe(fields, at: position)
  }

  private mutating func checkType(of value: DataValue, at position: SourcePosition) {
    guard firstMisfit == nil else { return }
    do {
      if let exacting {
        _ = try exacting.convert(value, at: position)
      } else if nested.isEmpty {
        try Self.refuseLongInts(in: value)
      }
    } catch {
      firstMisfit = error
    }
  }

  /// Refuses an integer beyond 64 bits within lists and objects, which become mixed values.
  private static func refuseLongInts(in value: DataValue) throws(ImportError) {
    func refuse(_ value: DataValue, at position: SourcePosition) throws(ImportError) {
      if case .longInt(let digits) = value {
        throw .data(.integerOutOfRange(digits), at: position)
      }
      try refuseLongInts(in: value)
    }
    switch value {
    case .list(let elements):
      for element in elements { try refuse(element.value, at: element.position) }
    case .object(let fields):
      for field in fields { try refuse(field.value, at: field.position) }
    default: break
    }
  }

  fileprivate mutating func merge(_ other: PropertyObservation) {
    recordCount += other.recordCount
    values.merge(other.values)
    elements.merge(other.elements)
    entries.merge(other.entries)
    firstMisfit = firstMisfit ?? other.firstMisfit
    if let more = other.embedded {
      if nested.isEmpty { nested = [more] } else { nested[0].merge(more) }
    }
  }
}

/// The kinds of value met, each with the place where it was met first, and so the nulls.
struct KindObservation {
  /// A kind, where it was met first, and the value that was there.
  typealias Meeting = (kind: DataKind, position: SourcePosition, value: DataValue)

  private(set) var kinds: DataKindSet = []
  private(set) var firstNull: SourcePosition?
  private var first: [Meeting] = []
  /// How many values were of each kind, by its raw value.
  private var counts = InlineArray<16, Int>(repeating: 0)
  private var count = 0

  /// So many strings are read as dates before it is held that none is.
  private static let dateTrialCount = 100

  /// Adds a value found at a place; returns whether it is not null.
  @inline(__always)
  mutating func observe(_ value: DataValue, at position: SourcePosition) -> Bool {
    // Once one string is no date, that others are matters only for a hint at what is odd.
    let mayBeDate =
      kinds.isDisjoint(with: .noDates) || count < Self.dateTrialCount
      || !kinds.isDisjoint(with: .dates)
    guard let kind = DataKind(value, dates: mayBeDate) else {
      if firstNull == nil { firstNull = position }
      return false
    }
    count += 1
    counts[Int(kind.rawValue)] += 1
    if !kinds.contains(kind) {
      kinds.insert(DataKindSet(kind))
      first.append((kind, position, value))
    }
    return true
  }

  mutating func merge(_ other: KindObservation) {
    firstNull = firstNull ?? other.firstNull
    count += other.count
    for index in other.counts.indices { counts[index] += other.counts[index] }
    for meeting in other.first where !kinds.contains(meeting.kind) {
      kinds.insert(DataKindSet(meeting.kind))
      first.append(meeting)
    }
    first.sort { $0.position < $1.position }
  }

  /// The kind that was met first, and where.
  var earliest: Meeting? { first.first }

  /// The first meeting of a kind that is not among `allowed`.
  func earliest(outside allowed: DataKindSet) -> Meeting? {
    first.first { !allowed.contains($0.kind) }
  }

  /// How many values there were of these kinds.
  func count(of kinds: DataKindSet) -> Int {
    counts.indices.reduce(0) { sum, index in
      kinds.contains(DataKindSet(rawValue: 1 << UInt16(index))) ? sum + counts[index] : sum
    }
  }
}
