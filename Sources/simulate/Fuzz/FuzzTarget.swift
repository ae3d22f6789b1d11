internal import AtollObjects
internal import AtollStorage
internal import TestSupport

/// The kinds of input of a fuzzer.
enum FuzzTarget: String, CaseIterable {
  /// Changes to a database file (`FileEdits`).
  case file
  /// A query: the name of a class, a line feed, the text.
  case query
  /// Data to import.
  case json, csv, dump
  /// The edits of a hostile side to its frames (`MessageEdits`).
  case message
  /// Mistakes that a fuzzer must find (`Canary`): an error, and a recursion without end.
  case canary, abyss

  /// Those whose inputs may do no harm.
  static let sound: [FuzzTarget] = [.file, .query, .json, .csv, .dump, .message]

  /// What came of an input.
  struct Outcome {
    /// Whether it was whole and right.
    let isRight: Bool
    /// The bytes of input for the library: a line of `MessageEdits` can stand for megabytes.
    let givenByteCount: Int
  }

  /// The trial of an input; throws for a violation.
  typealias Trial = ([UInt8]) throws -> Outcome

  /// Tries inputs that the library is given as they are.
  private static func whole(_ isRight: @escaping ([UInt8]) throws -> Bool) -> Trial {
    { Outcome(isRight: try isRight($0), givenByteCount: $0.count) }
  }

  func makeTrial() throws -> Trial {
    switch self {
    case .file:
      var samples: [Int: SampleFile] = [:]
      return Self.whole { input in
        let edits = FileEdits(input)
        let sample = try samples[edits.sample] ?? FileEdits.makeSample(edits.sample)
        samples[edits.sample] = sample
        guard let bytes = edits.apply(to: sample.image) else { return false }
        let trial = FileTrial(
          sample: sample, bytes: bytes, isStrict: edits.isTold,
          isSalvagedAnyway: edits.isSalvagedAnyway)
        return try trial.run().isWhole
      }
    case .query:
      let sample = try SampleFile(number: 0)
      let database = try SampleFile.open(
        MemoryFile(path: "sample", holding: sample.bytes), key: sample.key)
      var values = SampleValues(random: SplitMix64(seed: 0), hasLongValues: false)
      let arguments = (0..<4).map { _ in values.mixed() }
      return Self.whole { input in
        let text = String(decoding: input, as: UTF8.self)
        let parts = text.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
        let trial = QueryTrial(
          className: String(parts[0]), text: parts.count > 1 ? String(parts[1]) : "",
          arguments: arguments)
        return try trial.run(on: database).isAnswered
      }
    case .json: return Self.importTrial(.json)
    case .csv: return Self.importTrial(.csv)
    case .dump: return Self.importTrial(.dump)
    case .message:
      let sample = try MessageSample()
      return { input in
        let outcome = try MessageTrial(sample: sample, edits: MessageEdits(input)).run()
        return Outcome(
          isRight: !outcome.isEnded, givenByteCount: max(input.count, outcome.byteCount))
      }
    case .canary: return Self.whole { try Canary.sing($0) { throw Canary.Song() } }
    case .abyss:
      return Self.whole { input in
        try Canary.sing(input) { _ = Canary.fall(input) }
      }
    }
  }

  private static func importTrial(_ notation: ImportTrial.Notation) -> Trial {
    whole { try ImportTrial(notation: notation, bytes: $0).run().isImported }
  }

  /// Inputs to begin with: right ones, and such that are almost right.
  func makeSeeds() throws -> [[UInt8]] {
    switch self {
    case .file: try Self.fileSeeds()
    case .query:
      SampleClasses.queries.map { Array("\($0.className)\n\($0.text)".utf8) }
        + (0..<1500 as Range<UInt64>).map { seed in
          var random = RandomText(seed: seed)
          let (className, text) = random.make()
          return Array("\(className)\n\(text)".utf8)
        }.filter { $0.count < 2048 }
    case .json: importSeeds(.json)
    case .csv: importSeeds(.csv)
    case .dump: importSeeds(.dump)
    case .message: (0..<400 as Range<UInt64>).map { Array(MessageEdits.text(number: $0).utf8) }
    case .canary, .abyss: []
    }
  }

  private func importSeeds(_ notation: ImportTrial.Notation) -> [[UInt8]] {
    (0..<600 as Range<UInt64>).map { seed in
      var random = RandomData(seed: seed)
      return random.make(notation)
    }.filter { $0.count <= byteLimit }
  }

  /// One or two changes to each page of the first sample, and to its slots.
  private static func fileSeeds() throws -> [[UInt8]] {
    let image = try FileEdits.makeSample(0).image
    var random = SplitMix64(seed: 0)
    var seeds: [[UInt8]] = []
    for page in image.nodes.indices {
      for word in ["set", "add", "length", "header", "child"] {
        for _ in 0..<4 {
          let place = Int.random(in: 0..<min(96, image.nodes[page].payload.count), using: &random)
          let width = [1, 2, 4, 8].randomElement(using: &random) ?? 1
          let value = [0, 1, -1, 255, 65_535, 1 << 31].randomElement(using: &random) ?? 0
          let rest =
            switch word {
            case "length": "\(value % 64)"
            case "header": "\(place % 48) \(value & 255)"
            case "child": "\(place) \(place / 7)"
            default: "\(place) \(width) \(value)"
            }
          let salvage = Bool.random(using: &random) ? "salvage\n" : ""
          seeds.append(Array("\(salvage)\(word) \(page) \(rest)\n".utf8))
        }
      }
    }
    for offset in stride(from: 8, to: 200, by: 4) {
      for slot in image.slots.indices {
        seeds.append(Array("slot \(slot) \(offset) 4 \(offset)\n".utf8))
      }
    }
    return seeds
  }

  /// Words that inputs are made of.
  var dictionary: [String] {
    switch self {
    case .file:
      [
        "sample ", "salvage\n", "set ", "add ", "length ", "header ", "child ", "slot ", "raw ",
        " -1\n", " 255\n", " 65535\n", " 4294967295\n", " 2147483647\n",
        " 18446744073709551615\n", " 9223372036854775807\n", " 1048576\n",
      ]
    case .query: RandomText.words + SampleClasses.classes.map { "\($0.name)\n" }
    case .json, .dump:
      RandomData.words + ["{\"", "\":", "[", "]}", "null", "true", "\\u", "e400", "-0", "},{"]
        + (self == .dump ? ["\"class\"", "\"of\"", "\"key\"", "\"object\""] : [])
    case .message:
      [
        "device\n", "development\n", "cut ", "set ", "add ", "insert ", "drop ", "twice ", "late ",
        "alter ", "forge ", "bomb ", "raw ", " -1\n", " 255\n", " 18446744073709551615\n",
      ]
    case .csv: RandomData.words + ["\"\"", "\",\"", "\r\n", "true", "1e400", ";", "\t"]
    case .canary, .abyss: []
    }
  }

  /// Longer inputs are not made.
  var byteLimit: Int {
    switch self {
    case .file, .message: 512
    case .query, .json, .csv: 2048
    case .dump: 8192
    case .canary, .abyss: 64
    }
  }
}

/// Mistakes behind a few conditions, each of which a fuzzer sees fulfilled only by the code that
/// runs.
///
/// A bird in a mine: a run in which it lives says nothing.
private enum Canary {
  struct Song: Error, CustomStringConvertible {
    let description = "the canary was found"
  }

  static func sing(_ input: [UInt8], _ finding: () throws -> Void) throws -> Bool {
    var heard = 0
    for byte in input {
      switch (heard, byte) {
      case (0, UInt8(ascii: "a")): heard = 1
      case (1, UInt8(ascii: "t")): heard = 2
      case (2, UInt8(ascii: "o")): heard = 3
      case (3, UInt8(ascii: "l")): heard = 4
      case (4, UInt8(ascii: "!")): try finding()
      default: return false
      }
    }
    return true
  }

  /// Calls itself until the stack is full.
  @inline(never)
  static func fall(_ input: [UInt8]) -> Int {
    input.isEmpty ? 0 : 1 + fall(input + [0])
  }
}
