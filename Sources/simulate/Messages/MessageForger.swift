internal import AtollCapture
internal import AtollObjects
internal import AtollSync
internal import TestSupport

/// Makes messages that no peer which keeps to the protocol would send, out of what goes over the
/// line.
///
/// Each depends on a number and on overheard values: ids, tokens, cursors and numbers of all sides.
struct MessageForger {
  /// Ids of files, also of others; tokens; cursors; numbers of entries.
  private(set) var clients: [UInt64] = []
  private(set) var tokens: [UInt64] = []
  private(set) var cursors: [Cursor] = []
  private(set) var numbers: [UInt64] = []
  private(set) var generations: [Generation] = []
  private(set) var elements: [ElementID] = []
  /// Objects of all users, and their generations.
  private let lives: [(object: ObjectAddress, generation: Generation)]
  var random = SplitMix64(seed: 0)

  private static let memoryLimit = 16

  init(clients: [UInt64], lives: [(object: ObjectAddress, generation: Generation)]) {
    self.clients = clients
    self.lives = lives
  }

  // MARK: Overhearing

  /// Takes in what a frame tells.
  mutating func overhear(_ frame: [UInt8]) {
    var reader = MessageReader()
    guard let message = try? reader.receive(frame) else { return }
    switch message {
    case .hello(let hello):
      if let token = hello.token { keep(token, in: &tokens) }
      if let cursor = hello.cursor { keep(cursor, in: &cursors) }
    case .welcome(let welcome):
      keep(welcome.token, in: &tokens)
      keep(welcome.pushed, in: &numbers)
    case .confirm(let confirmation): keep(confirmation.answered, in: &numbers)
    case .sets(let entry): keep(entry.header.number, in: &numbers)
    case .push(let entry):
      keep(entry.header.number, in: &numbers)
      for operation in entry.transaction.operations {
        if let generation = operation.generation { keep(generation, in: &generations) }
        if case .insert(_, let id, _, _) = operation.action { keep(id, in: &elements) }
      }
    case .batch(let batch):
      for cursor in [batch.from, batch.to] { if let cursor { keep(cursor, in: &cursors) } }
      for answer in batch.answers { keep(answer.number, in: &numbers) }
      for object in batch.objects {
        guard case .full(let generation, let units) = object.change else { continue }
        keep(.confirmed(generation), in: &generations)
        for unit in units {
          if case .element(_, let id) = unit.path { keep(id, in: &elements) }
        }
      }
    default: break
    }
  }

  private func keep<Fact: Equatable>(_ fact: Fact, in facts: inout [Fact]) {
    guard !facts.contains(fact) else { return }
    facts.append(fact)
    if facts.count > Self.memoryLimit { facts.removeFirst() }
  }

  // MARK: Frames

  /// The frames of the same message with one thing changed; those of any message when it is none.
  mutating func altered(_ frame: [UInt8], seed: UInt64) -> [[UInt8]] {
    random = SplitMix64(seed: seed)
    var reader = MessageReader()
    guard let message = try? reader.receive(frame) else { return forged(seed: seed) }
    return MessageFrames.encode(alter(message))
  }

  mutating func forged(seed: UInt64) -> [[UInt8]] {
    random = SplitMix64(seed: seed)
    return MessageFrames.encode(message())
  }

  // MARK: Choices

  mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

  mutating func one<Element>(of elements: [Element], or other: Element) -> Element {
    elements.isEmpty ? other : elements[below(elements.count)]
  }

  mutating func optional<Element>(_ make: (inout Self) -> Element) -> Element? {
    below(4) == 0 ? nil : make(&self)
  }

  mutating func array<Element>(_ limit: Int, _ make: (inout Self) -> Element) -> [Element] {
    (0..<below(limit + 1)).map { _ in make(&self) }
  }

  // MARK: Numbers and names

  private static let extremes: [UInt64] = [
    0, 1, 2, 127, 128, 1 << 31, 1 << 32, 1 << 48, 1 << 53, (1 << 62) - 1, 1 << 62, 1 << 63,
    .max - 1, .max,
  ]

  mutating func number() -> UInt64 {
    switch below(4) {
    case 0: one(of: Self.extremes, or: 0)
    case 1: UInt64(below(30))
    case 2: one(of: numbers, or: 1) &+ UInt64(below(3)) &- 1
    default: one(of: numbers, or: 0)
    }
  }

  mutating func client() -> UInt64 {
    below(4) == 0 ? one(of: Self.extremes, or: 0) : one(of: clients, or: 1)
  }

  mutating func token() -> UInt64 { below(3) == 0 ? random.next() : one(of: tokens, or: 0) }

  mutating func cursor() -> Cursor {
    let known = one(of: cursors, or: Cursor(incarnation: 0, version: 0))
    return switch below(4) {
    case 0: Cursor(incarnation: known.incarnation, version: number())
    case 1: Cursor(incarnation: random.next(), version: known.version)
    case 2: Cursor(incarnation: known.incarnation, version: known.version &+ UInt64(below(5)))
    default: known
    }
  }

  /// Also ten years off, and at the end of time.
  mutating func clock() -> HybridClock {
    let decade: UInt64 = 315_360_000_000
    let now: UInt64 = 1_700_000_000_000
    return switch below(5) {
    case 0: HybridClock(rawValue: .max)
    case 1: HybridClock(rawValue: 0)
    case 2: HybridClock(milliseconds: now + decade)
    case 3: HybridClock(milliseconds: now - decade)
    default: HybridClock(milliseconds: now + UInt64(below(100_000)))
    }
  }

  mutating func name() -> EntryName { EntryName(client: client(), number: number()) }

  /// Mostly with the number that comes next: any other is passed over, or ends the outbox.
  mutating func header() -> EntryHeader {
    let next = (numbers.filter { $0 < 1 << 40 }.max() ?? 0) + 1
    return EntryHeader(
      number: below(3) == 0 ? number() : next, digest: random.next(), firstName: name())
  }

  /// Where the last batch led to, as far as was overheard.
  mutating func latest() -> Cursor? { below(4) == 0 ? optional { $0.cursor() } : cursors.last }

  /// What follows on a cursor.
  mutating func next(_ cursor: Cursor?) -> Cursor {
    guard let cursor, below(3) > 0 else { return self.cursor() }
    return Cursor(
      incarnation: cursor.incarnation, version: cursor.version &+ UInt64(below(3)))
  }

  mutating func text() -> String {
    switch below(8) {
    case 0: ""
    case 1: String(repeating: "x", count: below(3_000))
    case 2: "\u{0}\u{1F469}\u{200D}\u{1F680}"
    default: "text \(below(9))"
    }
  }

  mutating func className() -> String {
    let names = [
      "Item", "Item", "Item", "Item", "Part", "Extra", "Sync.Inbox", "Sync.Set",
      "Sync.Subscription", "", "a.b", String(repeating: "N", count: 300), "server.objects",
    ]
    return names[below(below(4) == 0 ? names.count : 4)]
  }

  mutating func property() -> String {
    let names = [
      "n", "owner", "text", "tags", "marks", "scores", "any", "next", "part", "_id", "x", "none",
      "", "class", "version",
    ]
    return names[below(below(3) == 0 ? names.count : 9)]
  }

  mutating func key() -> Value {
    switch below(12) {
    case 0: .null
    case 1: .int(Int64(bitPattern: number()))
    case 2: .string(text())
    case 3: .uuid(UniqueID(high: random.next(), low: 0))
    case 4: .string(String(repeating: "k", count: 1_100))
    default:
      .string(
        one(
          of: MessageSchema.users.flatMap(MessageSchema.keys(of:)), or: ""))
    }
  }

  mutating func address() -> ObjectAddress {
    ObjectAddress(className: className(), primaryKey: key())
  }

  mutating func generation() -> Generation {
    switch below(4) {
    case 0: .confirmed(cursor())
    case 1: .pending(number: number(), index: UInt32(truncatingIfNeeded: number()))
    default: one(of: generations, or: .pending(number: 1, index: 0))
    }
  }

  /// An object that is there, in the life that it has.
  mutating func life() -> (object: ObjectAddress, generation: Generation)? {
    lives.randomElement(using: &random)
  }

  mutating func element() -> ElementID {
    below(3) == 0
      ? ElementID(client: client(), number: number(), index: UInt32(truncatingIfNeeded: number()))
      : one(of: elements, or: ElementID(client: 1, number: 1, index: 0))
  }

  mutating func position() -> ListPosition {
    let numbers = 1 + below(3)
    let bytes = (0..<numbers).map { _ in UInt8(0x40 + below(0x80)) }
    return ListPosition(decoding: below(8) == 0 ? Array(repeating: 0x41, count: 5_000) : bytes)
      ?? ListPosition.between(nil, nil, count: 1)[0]
  }
}
