internal import AtollCapture
internal import AtollObjects
internal import AtollSync
internal import TestSupport

// Values, units and operations as no recorder makes them.

extension MessageForger {
  mutating func value(depth: Int = 0) -> RecordedValue {
    let nested = depth < 3 ? 19 : 13
    switch below(nested) {
    case 0: return .null
    case 1: return .bool(below(2) == 0)
    case 2, 3: return .int(Int64(bitPattern: number()))
    case 4: return .float(Float(bitPattern: UInt32(truncatingIfNeeded: random.next())))
    case 5: return .double(Double(bitPattern: random.next()))
    case 6: return .decimal(Decimal128(low: random.next(), high: random.next()))
    case 7, 8: return .string(text())
    case 9: return .data(Array(repeating: 0, count: below(2_000)))
    case 10:
      let seconds = [0, -62_135_596_800, .max, .min][below(4)]
      return Timestamp(seconds: Int64(seconds), nanoseconds: 0).map { .date($0) } ?? .null
    case 11: return .uuid(UniqueID(high: random.next(), low: random.next()))
    case 12: return .link(address())
    case 13: return .embedded(EmbeddedValue(incarnation: element(), array(3) { $0.field(depth) }))
    case 14: return .list(array(4) { $0.value(depth: depth + 1) })
    case 15: return .set(array(4) { $0.value(depth: depth + 1) })
    case 16: return .map(array(4) { $0.entry(depth) })
    case 17: return .embedded(EmbeddedValue([RecordedField(property: "x", value: .int(1))]))
    default: return nest(below(120))
    }
  }

  private mutating func field(_ depth: Int) -> RecordedField {
    RecordedField(property: property(), value: value(depth: depth + 1))
  }

  private mutating func entry(_ depth: Int) -> RecordedEntry {
    RecordedEntry(key: text(), value: value(depth: depth + 1))
  }

  /// Lists in each other.
  private func nest(_ depth: Int) -> RecordedValue {
    var value = RecordedValue.int(1)
    for _ in 0..<depth { value = .list([value]) }
    return value
  }

  mutating func action() -> Operation.Action {
    switch below(11) {
    case 10: .edit(unitPath(), place(), innerChange())
    case 0: .create
    case 1: .delete
    case 2, 3: .set(property: property(), value())
    case 4: .insert(property: property(), element(), position(), value())
    case 5: .setElement(property: property(), element(), value())
    case 6: .removeElement(property: property(), element())
    case 7: .setEntry(property: property(), key: .string(text()), value())
    case 8: .addMember(property: property(), value())
    default: .removeEntry(property: property(), key: value())
    }
  }

  private mutating func unitPath() -> UnitPath {
    switch below(4) {
    case 0: .existence
    case 1: .property(property())
    case 2: .element(property: property(), element())
    default: .entry(property: property(), value())
    }
  }

  private mutating func place() -> InnerPlace {
    InnerPlace(
      incarnation: below(2) == 0 ? element() : nil, names: [text()] + array(3) { $0.text() })
  }

  private mutating func innerChange() -> InnerChange {
    switch below(3) {
    case 0: .remove
    case 1: .set(value())
    default: .increment(by: Int64(below(9)) - 4, startsAtZero: below(2) == 0)
    }
  }

  /// A change that fits the class.
  private mutating func fittingAction() -> Operation.Action {
    switch below(6) {
    case 0: .set(property: "text", .string(text()))
    case 1: .set(property: "owner", .string(one(of: MessageSchema.honestUsers, or: "")))
    case 2: .insert(property: "tags", element(), position(), .string(text()))
    case 3: .addMember(property: "marks", .string(text()))
    case 4: .delete
    default: .set(property: "n", .int(Int64(bitPattern: number())))
    }
  }

  mutating func operation() -> Operation {
    if below(2) == 0, let life = life() {
      return Operation(
        object: life.object, generation: life.generation, action: fittingAction())
    }
    let action = action()
    return Operation(
      object: address(), generation: action == .create ? nil : generation(), action: action)
  }

  mutating func unit() -> UnitChange {
    switch below(7) {
    case 0, 1: UnitChange(.property(property()), .value(value()))
    case 2:
      UnitChange(.element(property: property(), element()), .element(position(), value()))
    case 3: UnitChange(.element(property: property(), element()), nil)
    case 4: UnitChange(.entry(property: property(), .string(text())), .value(value()))
    case 5: UnitChange(.entry(property: property(), value()), .exists)
    default: UnitChange(.entry(property: property(), value()), nil)
    }
  }

  /// A row that only the file itself may have.
  mutating func ownRecord() -> ObjectChange {
    let generation = cursor()
    return below(2) == 0
      ? ObjectChange(
        ObjectAddress(className: "Sync.Set", primaryKey: .int(Int64(below(9)))),
        .full(generation: generation, [UnitChange(.property("state"), .value(.int(3)))]))
      : ObjectChange(
        ObjectAddress(className: "Sync.Inbox", primaryKey: .string("1.1.1")),
        .full(generation: generation, [UnitChange(.property("text"), .value(.string("x")))]))
  }

  mutating func change() -> ObjectChange {
    if below(6) == 0 { return ownRecord() }
    let address = address()
    switch below(4) {
    case 0: return ObjectChange(address, .leave)
    case 1: return ObjectChange(address, .update(array(4) { $0.unit() }))
    default: return ObjectChange(address, .full(generation: cursor(), array(4) { $0.unit() }))
    }
  }

  mutating func verdict() -> Verdict {
    switch below(6) {
    case 0, 1: .applied(generation: optional { $0.cursor() })
    case 2: .known(generation: optional { $0.cursor() })
    case 3: .outdated(.newerClock)
    case 4: .outdated(.deletion)
    default: .refused(Refusal(Refusal.Reason(rawValue: number()), text: text()))
    }
  }

  mutating func answer() -> Answer {
    Answer(
      number: number(),
      runs: array(3) { forger in
        let count = forger.below(6) == 0 ? UInt32.max : UInt32(1 + forger.below(3))
        return Answer.Run(verdict: forger.verdict(), count: count)
      })
  }

  mutating func schema() -> ClassSchema {
    var properties = array(5) { forger in
      var property = PropertySchema(
        forger.property(), [.int, .string, .mixed, .date, .double, .data][forger.below(6)],
        collection: [.none, .none, .list, .set, .map][forger.below(5)],
        isOptional: forger.below(2) == 0, isIndexed: forger.below(3) == 0,
        isFullTextIndexed: forger.below(8) == 0)
      if forger.below(6) == 0 {
        property = PropertySchema(
          property.name, linkTo: forger.className(), collection: property.collection)
      }
      return property
    }
    let key = below(4) == 0 ? nil : "_id"
    if key != nil { properties.append(PropertySchema("_id", [.string, .int, .double][below(3)])) }
    return ClassSchema(
      className(), properties: properties, primaryKey: key, isEmbedded: below(5) == 0)
  }

  private static let queries = [
    "TRUEPREDICATE", "n >= 50", "owner == 'ann'", "text == nil OR any == 1", "tags.@count > 0",
    "'m1' IN marks", "next.n == 3", "ANY tags BEGINSWITH 'a'", "text LIKE '*a*a*a*a*a*b'",
    "n >", "", "((((((((n == 1))))))))", "none == 1", "n == $0",
    "SUBQUERY(next, $x, $x.n > 1).@count > 0",
    "TRUEPREDICATE SORT(n ASC) LIMIT(1)", "any == 'x'", "scores['k'] > 1", "part.x == 1",
    "text TEXT 'a -b'", "text CONTAINS[c] 'É'", "n == 9223372036854775808",
  ]

  mutating func member() -> SetMember {
    SetMember(className: className(), query: one(of: Self.queries, or: ""))
  }
}
