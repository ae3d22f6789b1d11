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
  private var indexes: [ExactText: Int] = [:]

  init(primaryKey: String?, shape: ImportShape = ImportShape()) {
    self.primaryKey = primaryKey
    self.shape = shape
  }

  subscript(name: String) -> PropertyObservation? {
    indexes[ExactText(name)].map { properties[$0] }
  }

  mutating func observe(_ record: DataRecord) {
    observe(record.fields, at: record.position)
  }

  fileprivate mutating func observe(_ fields: [DataField], at position: SourcePosition) {
    recordCount += 1
    var hasPrimaryKey = primaryKey == nil
    for (fieldIndex, field) in fields.enumerated() {
      properties[index(of: field.name, near: fieldIndex)].observe(field)
      if !hasPrimaryKey, let primaryKey, field.name.hasSameBytes(as: primaryKey) {
        hasPrimaryKey = true
      }
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
    if guess < properties.count, properties[guess].name.hasSameBytes(as: name) { return guess }
    if let index = indexes[ExactText(name)] { return index }
    indexes[ExactText(name)] = properties.count
    properties.append(
      PropertyObservation(
        name: name, exacting: shape.exacting(name), isKey: shape.isKey(name),
        embedded: shape.inside(name)))
    return properties.count - 1
  }
}

/// The values of one property, by kind.
struct PropertyObservation {
  let name: String
  /// In how many records the property is named, be it with null.
  private(set) var recordCount = 0
  /// Where its first value is.
  private(set) var firstPosition = SourcePosition(line: 1, column: 1)
  private(set) var values = KindObservation()
  /// The elements of lists.
  private(set) var elements = KindObservation()
  /// The values of objects, under any name.
  private(set) var entries = KindObservation()
  /// The properties of the objects when they are embedded objects; else nil.
  var embedded: TypeInference? { nested.first }
  /// The first value that does not fit the type given by an option or the file, that fits no type,
  /// or that is too long for an index.
  private(set) var firstMisfit: ImportError?
  /// The first number that a decimal, which the property may become, could only hold as another
  /// one.
  private(set) var firstRounded: ImportError?
  private var nested: [TypeInference] = []
  private let exacting: PlannedProperty?
  private let isKey: Bool

  /// `exacting` is the property that each value is tried in; `isKey`: whether an index holds the
  /// values.
  init(
    name: String, exacting: PlannedProperty? = nil, isKey: Bool = false,
    embedded: ImportShape? = nil
  ) {
    self.name = name
    self.exacting = exacting
    self.isKey = isKey
    nested = embedded.map { [TypeInference(primaryKey: nil, shape: $0)] } ?? []
  }

  /// Whether each value was tried in the property that is to hold it.
  var isTried: Bool { exacting != nil }

  fileprivate mutating func observe(_ field: DataField) {
    if recordCount == 0 { firstPosition = field.position }
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

  /// Notes a value that fits no type, or not the one that is given.
  ///
  /// A list or an object among these values lies in one collection at least: what a field holds
  /// itself is taken apart by `observe`.
  private mutating func checkType(of value: DataValue, at position: SourcePosition) {
    guard firstMisfit == nil else { return }
    do throws(ImportError) {
      if let exacting {
        try checkLength(of: try exacting.convert(value, at: position), at: position)
        if exacting.description.type == .mixed {
          try MixedData.check(value, at: position, depth: 1)
        }
      } else if nested.isEmpty {
        switch value {
        case .string(let text), .text(let text):
          try checkLength(of: .string(text), at: position)
        case .typed(let value): try checkLength(of: value, at: position)
        case .list, .object: try MixedData.check(value, at: position, depth: 1)
        case .longInt(let digits), .longDouble(let digits):
          // Also for a decimal, which the property may become.
          switch DecimalText(digits) {
          case .tooLarge, .tooSmall: throw .data(.doubleOutOfRange(digits), at: position)
          default: noteRounded(digits, at: position)
          }
        // Others have digits that a decimal holds.
        case .double(_, let digits) where digits.utf8.count > 34:
          noteRounded(digits, at: position)
        default: break
        }
      }
    } catch {
      firstMisfit = error
    }
  }

  private mutating func noteRounded(_ digits: String, at position: SourcePosition) {
    guard firstRounded == nil, case .inexact? = DecimalText(digits) else { return }
    firstRounded = .data(.inexact(property: name, number: digits, type: .decimal), at: position)
  }

  /// Refuses what is too long for an index, or for any value.
  private func checkLength(of value: Value, at position: SourcePosition) throws(ImportError) {
    let byteCount: Int
    switch value {
    case .string(let text): byteCount = text.utf8.count
    case .data(let data): byteCount = data.count
    default: return
    }
    if isKey, let byteCount = Index.excessByteCount(of: value) {
      throw .data(
        .keyTooLong(property: name, byteCount: byteCount, limit: Index.textByteLimit), at: position)
    }
    guard byteCount <= BlobStore.byteCountLimit else {
      throw .data(
        .valueTooLong(property: name, byteCount: byteCount, limit: BlobStore.byteCountLimit),
        at: position)
    }
  }

  fileprivate mutating func merge(_ other: PropertyObservation) {
    recordCount += other.recordCount
    values.merge(other.values)
    elements.merge(other.elements)
    entries.merge(other.entries)
    firstMisfit = firstMisfit ?? other.firstMisfit
    firstRounded = firstRounded ?? other.firstRounded
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
  private var counts = InlineArray<32, Int>(repeating: 0)
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
      kinds.contains(DataKindSet(rawValue: 1 << UInt32(index))) ? sum + counts[index] : sum
    }
  }
}
