import AtollCapture
import AtollObjects
import AtollSync
import TestSupport

/// Messages of every kind with random contents, from one seed.
struct RandomMessages {
  var random: SplitMix64

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  mutating func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }
  mutating func flip() -> Bool { Bool.random(using: &random) }

  /// Small and large alike.
  mutating func long() -> UInt64 { random.next() >> UInt64(number(64)) }

  mutating func text() -> String {
    String(
      (0..<number(12)).map { _ in Character(["a", "B", "é", "狐", " ", "\u{1F30A}"][number(6)]) })
  }

  mutating func array<Element>(
    _ limit: Int, _ make: (inout RandomMessages) -> Element
  ) -> [Element] {
    (0..<number(limit)).map { _ in make(&self) }
  }

  mutating func cursor() -> Cursor { Cursor(incarnation: random.next(), version: long()) }

  mutating func optional<Element>(_ make: (inout RandomMessages) -> Element) -> Element? {
    flip() ? make(&self) : nil
  }

  mutating func message() -> SyncMessage {
    switch number(14) {
    case 0: .hello(hello())
    case 1:
      .welcome(
        Welcome(
          token: random.next(), isFromStart: flip(), isRunLost: flip(), pushed: long(),
          digest: random.next(), wantsSchema: flip()))
    case 2: .schema(SchemaEntry(header: header(), classes: array(4) { $0.classSchema() }))
    case 3:
      .sets(
        SetsEntry(header: header(), version: Int64(number(99)), members: array(4) { $0.member() }))
    case 4: .push(PushEntry(header: header(), transaction: transaction()))
    case 5: .batch(batch())
    case 6:
      .confirm(
        Confirmation(token: random.next(), cursor: optional { $0.cursor() }, answered: long()))
    case 7: .mark(long())
    case 8: .ping(long())
    case 9: .pong(long())
    case 10:
      .error(
        ErrorMessage(
          ErrorMessage.Action.allCases[number(5)], .init(rawValue: long()),
          retryAfterMilliseconds: optional { $0.long() }, text: text(),
          members: refusedMembers()))
    case 11: .verify(long())
    case 12:
      .digests(
        ViewDigests(
          number: long(), cursor: cursor(), setNumber: long(),
          digests: optional { make in
            make.array(3) { ViewDigest(count: $0.long(), hash: $0.random.next()) }
          }))
    default: .bye
    }
  }

  mutating func hello() -> Hello {
    Hello(
      client: random.next(), token: optional { $0.long() }, proof: optional { $0.cursor() },
      cursor: optional { $0.cursor() }, answered: long(),
      sets: optional { make in
        AnsweredSets(
          number: make.long(), version: Int64(make.number(9)),
          members: make.array(4) { $0.member() })
      },
      bootstrap: optional { make in
        BootstrapPosition(
          run: make.long(), position: make.bytes(), from: make.optional { $0.cursor() })
      }, isProgressive: flip())
  }

  mutating func bytes() -> [UInt8] { array(20) { UInt8(truncatingIfNeeded: $0.random.next()) } }

  mutating func header() -> EntryHeader {
    EntryHeader(
      number: long(), digest: random.next(),
      firstName: EntryName(client: random.next(), number: long()))
  }

  mutating func member() -> SetMember {
    SetMember(className: ["Task", "Team"][number(2)], query: text())
  }

  mutating func classSchema() -> ClassSchema {
    ClassSchema(
      text(),
      properties: array(5) { make in
        if make.flip() { return PropertySchema(make.text(), linkTo: make.text()) }
        return PropertySchema(
          make.text(), [.int, .string, .mixed, .uuid][make.number(4)],
          collection: CollectionKind.allCases[make.number(4)], isOptional: make.flip(),
          isIndexed: make.flip(), isFullTextIndexed: make.flip())
      }, primaryKey: optional { $0.text() }, isEmbedded: flip())
  }

  mutating func address() -> ObjectAddress {
    let key: Value =
      switch number(4) {
      case 0: .int(Int64(number(5)))
      case 1: .string(text())
      case 2: .objectID(ObjectID(seconds: 7, random: 9, counter: UInt32(number(5))))
      default: .uuid(UniqueID(high: long(), low: long()))
      }
    return ObjectAddress(className: ["Task", "Team"][number(2)], primaryKey: key)
  }

  mutating func value(depth: Int = 0) -> RecordedValue {
    switch number(depth < 3 ? 12 : 8) {
    case 0: .null
    case 1: .bool(flip())
    case 2: .int(Int64(truncatingIfNeeded: long()))
    case 3: .double(Double(number(1000)) / 7)
    case 4: .string(text())
    case 5: .data(bytes())
    case 6: .link(address())
    case 7: .decimal(Decimal128(Int64(number(99))))
    case 8: .list(array(3) { $0.value(depth: depth + 1) })
    case 9: .set(array(3) { $0.value(depth: depth + 1) })
    case 10:
      .embedded(
        EmbeddedValue(
          incarnation: optional { $0.element() },
          array(3) { RecordedField(property: $0.text(), value: $0.value(depth: depth + 1)) }))
    default:
      .map(
        Set(array(3) { $0.text() }).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.map {
          RecordedEntry(key: $0, value: value(depth: depth + 1))
        })
    }
  }

  mutating func element() -> ElementID {
    ElementID(client: UInt64(number(3)), number: long(), index: UInt32(number(9)))
  }

  mutating func position() -> ListPosition {
    ListPosition.between(nil, nil, count: 9)[number(9)]
  }

  mutating func transaction() -> RecordedTransaction {
    RecordedTransaction(
      clock: HybridClock(rawValue: long()), seen: optional { $0.cursor() },
      operations: array(6) { $0.operation() })
  }

  mutating func path() -> UnitPath {
    switch number(3) {
    case 0: .property(text())
    case 1: .element(property: text(), element())
    default: .entry(property: text(), value())
    }
  }

  mutating func place() -> InnerPlace {
    InnerPlace(incarnation: optional { $0.element() }, names: [text()] + array(3) { $0.text() })
  }

  mutating func operation() -> Operation {
    let action: Operation.Action =
      switch number(13) {
      case 0: .create
      case 10: .moveElement(property: text(), element(), position())
      case 11: .edit(path(), place(), .set(value()))
      case 12:
        .edit(
          path(), place(),
          flip() ? .remove : .increment(by: Int64(bitPattern: long()), startsAtZero: flip()))
      case 9: .increment(property: text(), by: Int64(bitPattern: long()))
      case 6: .setEntry(property: text(), key: .string(text()), value())
      case 7: .addMember(property: text(), value())
      case 8: .removeEntry(property: text(), key: value())
      case 1: .delete
      case 2: .set(property: text(), value())
      case 3: .insert(property: text(), element(), position(), value())
      case 4: .setElement(property: text(), element(), value())
      default: .removeElement(property: text(), element())
      }
    let generation: Generation =
      flip() ? .confirmed(cursor()) : .pending(number: long(), index: UInt32(number(9)))
    return Operation(
      object: address(), generation: action == .create ? nil : generation, action: action)
  }

  mutating func batch() -> Batch {
    let run = optional { make in
      BatchRun(
        number: make.long(), position: make.bytes(), isRestart: make.flip(),
        remainingCount: make.optional { $0.long() })
    }
    return Batch(
      from: optional { $0.cursor() }, to: run == nil || flip() ? cursor() : nil, readAt: long(),
      readTime: long(), newestClock: HybridClock(rawValue: long()), setNumber: long(), run: run,
      classes: array(3) { $0.classSchema() }, objects: array(6) { $0.change() },
      answers: array(4) { make in
        Answer(number: make.long(), verdicts: make.array(6) { $0.verdict() })
      })
  }

  mutating func change() -> ObjectChange {
    let object = address()
    return switch number(3) {
    case 0: ObjectChange(object, .leave)
    case 1: ObjectChange(object, .full(generation: cursor(), array(4) { $0.unit() }))
    default: ObjectChange(object, .update(array(4) { $0.unit() }))
    }
  }

  mutating func unit() -> UnitChange {
    switch number(6) {
    case 3: UnitChange(.entry(property: text(), .string(text())), .value(value()))
    case 4: UnitChange(.entry(property: text(), value()), .exists)
    case 5: UnitChange(.entry(property: text(), value()), nil)
    case 0: UnitChange(.property(text()), .value(value()))
    case 1: UnitChange(.element(property: text(), element()), .element(position(), value()))
    default: UnitChange(.element(property: text(), element()), nil)
    }
  }

  mutating func verdict() -> Verdict {
    switch number(5) {
    case 0: .applied(generation: optional { $0.cursor() })
    case 1: .known(generation: optional { $0.cursor() })
    case 2: .outdated(.newerClock)
    case 3: .outdated(.deletion)
    default: .refused(Refusal(.outsideView, text: text(), members: refusedMembers()))
    }
  }

  mutating func refusedMembers() -> [RefusedMember] {
    array(2) { RefusedMember(index: UInt32($0.number(9)), text: $0.text()) }
  }
}
