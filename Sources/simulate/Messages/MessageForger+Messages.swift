internal import AtollCapture
internal import AtollObjects
internal import AtollSync
internal import TestSupport

// Whole messages, changed messages, and large ones.

extension MessageForger {
  // MARK: Made up

  mutating func message() -> SyncMessage {
    switch below(16) {
    case 0, 1: .hello(hello())
    case 2: .welcome(welcome())
    case 3: .schema(SchemaEntry(header: header(), classes: array(3) { $0.schema() }))
    case 4:
      .sets(
        SetsEntry(
          header: header(), version: Int64(bitPattern: number()), members: array(3) { $0.member() })
      )
    case 5, 6, 7, 8:
      .push(PushEntry(header: header(), transaction: transaction()))
    case 9, 10, 11: .batch(batch())
    case 12:
      .confirm(
        Confirmation(token: token(), cursor: optional { $0.cursor() }, answered: number()))
    case 13: [.mark(number()), .ping(number()), .verify(number()), .digests(digests())][below(4)]
    case 14: .error(error())
    default: below(2) == 0 ? .pong(number()) : .bye
    }
  }

  private mutating func hello() -> Hello {
    Hello(
      client: client(), token: optional { $0.token() }, proof: optional { $0.cursor() },
      cursor: optional { $0.cursor() }, answered: number(),
      sets: optional { forger in
        AnsweredSets(
          number: forger.number(), version: Int64(bitPattern: forger.number()),
          members: forger.array(3) { $0.member() })
      },
      bootstrap: optional { $0.bootstrap() }, isProgressive: below(2) == 0)
  }

  private mutating func bootstrap() -> BootstrapPosition {
    BootstrapPosition(
      run: number(), position: Array(repeating: 0, count: [0, 8, 8, 9, 3_000][below(5)]),
      from: optional { $0.cursor() })
  }

  private mutating func welcome() -> Welcome {
    Welcome(
      token: token(), isFromStart: below(3) == 0, pushed: number(), digest: random.next(),
      wantsSchema: below(2) == 0)
  }

  private mutating func transaction() -> RecordedTransaction {
    RecordedTransaction(
      clock: clock(), seen: optional { $0.cursor() }, operations: array(5) { $0.operation() })
  }

  private mutating func batch() -> Batch {
    let from = latest()
    let to = optional { $0.next(from) }
    let run =
      to == nil || below(3) == 0
      ? BatchRun(
        number: number(), position: Array(repeating: 1, count: [0, 8, 5_000][below(3)]),
        isRestart: below(2) == 0, remainingCount: optional { $0.number() }) : nil
    return Batch(
      from: from, to: to, readAt: below(3) == 0 ? number() : 1 << 40, readTime: number(),
      newestClock: clock(), setNumber: number(), run: run, classes: array(2) { $0.schema() },
      objects: array(3) { $0.change() }, answers: array(2) { $0.answer() })
  }

  private mutating func digests() -> ViewDigests {
    ViewDigests(
      number: number(), cursor: cursor(), setNumber: number(),
      digests: array(3) { ViewDigest(count: $0.number(), hash: $0.random.next()) })
  }

  private mutating func error() -> ErrorMessage {
    ErrorMessage(
      ErrorMessage.Action.allCases[below(ErrorMessage.Action.allCases.count)],
      ErrorMessage.Code(rawValue: below(3) == 0 ? number() : UInt64(below(15))),
      retryAfterMilliseconds: optional { $0.number() }, text: text(),
      members: array(2) { RefusedMember(index: UInt32(truncatingIfNeeded: $0.number()), text: "") })
  }

  // MARK: Changed

  /// The message with one thing in it changed.
  mutating func alter(_ message: SyncMessage) -> SyncMessage {
    switch message {
    case .hello(var hello):
      switch below(9) {
      case 0, 1: hello.client = client()
      case 2: hello.token = optional { $0.token() }
      case 3: hello.proof = optional { $0.cursor() }
      case 4: hello.cursor = optional { $0.cursor() }
      case 5: hello.answered = number()
      case 6: hello.sets = self.hello().sets
      case 7: hello.bootstrap = bootstrap()
      default: hello.isProgressive.toggle()
      }
      return .hello(hello)
    case .welcome(var welcome):
      switch below(6) {
      case 0: welcome.version = number()
      case 1: welcome.token = token()
      case 2: welcome.isFromStart.toggle()
      case 3: welcome.pushed = number()
      case 4: welcome.digest = random.next()
      default: welcome.wantsSchema.toggle()
      }
      return .welcome(welcome)
    case .schema(var entry):
      if below(3) == 0 { alter(&entry.header) } else { entry.classes.append(schema()) }
      return .schema(entry)
    case .sets(var entry):
      switch below(3) {
      case 0: alter(&entry.header)
      case 1: entry.version = Int64(bitPattern: number())
      default: entry.members.append(member())
      }
      return .sets(entry)
    case .push(var entry):
      alter(&entry)
      return .push(entry)
    case .batch(var batch):
      alter(&batch)
      return .batch(batch)
    case .confirm(var confirmation):
      switch below(3) {
      case 0: confirmation.token = token()
      case 1: confirmation.cursor = optional { $0.cursor() }
      default: confirmation.answered = number()
      }
      return .confirm(confirmation)
    case .mark: return .mark(number())
    case .verify: return .verify(number())
    case .digests(var digests):
      switch below(4) {
      case 0: digests.number = number()
      case 1: digests.cursor = cursor()
      case 2: digests.setNumber = number()
      default: digests.digests = optional { $0.digests().digests } ?? nil
      }
      return .digests(digests)
    case .ping: return .ping(number())
    case .pong: return .pong(number())
    case .error: return .error(error())
    case .bye: return self.message()
    }
  }

  private mutating func alter(_ header: inout EntryHeader) {
    switch below(3) {
    case 0: header.number = number()
    case 1: header.digest = random.next()
    default: header.firstName = name()
    }
  }

  private mutating func alter(_ entry: inout PushEntry) {
    let count = entry.transaction.operations.count
    switch below(10) {
    case 0: alter(&entry.header)
    case 1: entry.transaction.clock = clock()
    case 2: entry.transaction.seen = optional { $0.cursor() }
    case 3: entry.transaction.operations.append(operation())
    case 4: if count > 0 { entry.transaction.operations.remove(at: below(count)) }
    default:
      guard count > 0 else { return }
      let index = below(count)
      var operation = entry.transaction.operations[index]
      switch below(4) {
      case 0: operation = self.operation()
      case 1: operation.object = address()
      case 2: if operation.action != .create { operation.generation = generation() }
      default:
        operation.action = action()
        operation.generation =
          operation.action == .create ? nil : operation.generation ?? generation()
      }
      entry.transaction.operations[index] = operation
    }
  }

  private mutating func alter(_ batch: inout Batch) {
    switch below(16) {
    case 0: batch.from = optional { $0.cursor() }
    case 1: batch.to = cursor()
    case 2: batch.readAt = number()
    case 3: batch.readTime = number()
    case 4: batch.newestClock = clock()
    case 5: batch.setNumber = number()
    case 6: batch.run = self.batch().run ?? batch.run
    case 7: batch.classes.append(schema())
    case 8: batch.objects.append(change())
    case 9:
      if !batch.objects.isEmpty { batch.objects[below(batch.objects.count)] = change() }
    case 10:
      if !batch.objects.isEmpty {
        let index = below(batch.objects.count)
        guard case .full(let generation, var units) = batch.objects[index].change else { return }
        units.append(unit())
        batch.objects[index].change = .full(generation: generation, units)
      }
    case 11: batch.objects.shuffle(using: &random)
    case 12, 13: batch.objects.append(ownRecord())
    default:
      guard let answer = batch.answers.indices.last else {
        batch.answers.append(self.answer())
        return
      }
      // Mostly of another count.
      batch.answers[answer] = Answer(
        number: batch.answers[answer].number, runs: self.answer().runs)
    }
  }

  // MARK: Large

  /// A message that costs its sender little.
  mutating func bomb(seed: UInt64) -> [[UInt8]] {
    random = SplitMix64(seed: seed)
    let number = (numbers.max() ?? 0) &+ 1
    let header = EntryHeader(
      number: number, digest: 0, firstName: EntryName(client: client(), number: number))
    switch below(10) {
    case 0:
      return sets(header, [String(repeating: "n == 1 OR ", count: 100_000) + "n == 2"])
    case 1: return sets(header, [String(repeating: "n == 1 OR ", count: 1_000) + "n == 2"])
    case 2: return sets(header, (0..<100_000).map { "n == \($0)" })
    case 3: return sets(header, (0..<300).map { "n == \($0)" })
    case 4:
      let depth = [100, 1_000, 30_000][below(3)]
      return sets(
        header,
        [String(repeating: "(", count: depth) + "n == 1" + String(repeating: ")", count: depth)])
    case 5:
      return sets(
        header, [String(repeating: "text LIKE '*a*b*c*a*b*c' AND ", count: 500) + "n == 2"])
    case 6:
      let operation = operation()
      return push(header, Array(repeating: operation, count: 20_000))
    case 7:
      let classes = (0..<300).map { index in
        ClassSchema("Bomb\(index)", properties: [PropertySchema("_id", .int)], primaryKey: "_id")
      }
      return MessageFrames.encode(.schema(SchemaEntry(header: header, classes: classes)))
    case 8:
      // One refusal that is said of many operations.
      let answer = Answer(
        number: one(of: numbers, or: 1),
        runs: [
          Answer.Run(
            verdict: .refused(Refusal(.forbidden, text: String(repeating: "r", count: 100_000))),
            count: UInt32(1 + below(5)))
        ])
      var batch = batch()
      batch.answers = [answer]
      return MessageFrames.encode(.batch(batch))
    default:
      let value = RecordedValue.string(String(repeating: "v", count: 1 << 20))
      return push(
        header,
        [
          Operation(
            object: MessageSchema.item("\(MessageSchema.hostileUser) 0"), generation: generation(),
            action: .set(property: "text", value))
        ])
    }
  }

  private func sets(_ header: EntryHeader, _ queries: [String]) -> [[UInt8]] {
    MessageFrames.encode(
      .sets(
        SetsEntry(
          header: header, version: 1,
          members: queries.map { SetMember(className: "Item", query: $0) })))
  }

  private mutating func push(_ header: EntryHeader, _ operations: [Operation]) -> [[UInt8]] {
    MessageFrames.encode(
      .push(
        PushEntry(
          header: header,
          transaction: RecordedTransaction(clock: clock(), seen: nil, operations: operations))))
  }
}
