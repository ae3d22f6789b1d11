internal import TestSupport

/// The parameters of a run, determined by its seed.
struct SyncProfile {
  /// What happens in a step.
  enum Action: CaseIterable {
    case write, writeLocally, subscribe, connect, drop, send, deliverUp, deliverDown, stream
    case crashDevice, crashServer, part, wait, exchange, disturb
    case copyDevice, backUpDevice, restoreDevice, backUpServer, restoreServer
    /// Connections that last for a message or two, one after the other.
    case storm
    /// Another client of the file, while the one before still works.
    case overtake
  }

  /// What of an object is changed.
  enum Edit: CaseIterable {
    case a, b, text, other, detail, numbers, collection, count, move, inside
  }

  /// About ten years, in milliseconds.
  private static let tenYears = 315_360_000_000

  let deviceCount: Int
  let stepCount: Int
  /// How often each action is chosen.
  let weights: [(action: Action, weight: Int)]
  /// Of a hundred commits of the app, how many do not wait for the disk.
  let relaxedPercentage: Int
  /// What an edit is chosen from, each as often as it is chosen.
  let edits: [Edit]
  /// The objects that are changed.
  let keys: ArraySlice<String>
  let tearing: SimulatedFile.Tearing
  /// How many milliseconds pass at most while nothing happens.
  let longestWait: UInt64
  /// Milliseconds that the clock of a device is off, one for each device.
  let skews: [Int64]
  /// Whether batches of a catch-up are committed one by one, for each device.
  let isProgressive: [Bool]
  /// Devices that only read, mostly.
  let isReader: [Bool]

  /// `hasLists`: whether it is about lists, for which devices have to meet often.
  ///
  /// `isHarsh`: small and full of faults: a bug shows there sooner.
  init(seed: UInt64, isHarsh: Bool, hasLists: Bool) {
    // Not the generator of the run, so that a profile can change without changing the runs.
    var random = SplitMix64(seed: seed ^ 0x5BD1_E995_9D1C_A3E5)
    func one(of choices: [Int]) -> Int { choices.randomElement(using: &random) ?? 0 }
    let deviceCount = one(
      of: isHarsh ? [2, 2, 3] : hasLists ? [2, 2, 2, 3, 3, 4] : [2, 2, 2, 3, 3, 5, 8])
    self.deviceCount = deviceCount
    stepCount = Int.random(in: 60..<240, using: &random) * max(1, deviceCount / 3)
    // Half of the runs: what is wrong without any fault is found nowhere else as fast.
    let isCalm = Bool.random(using: &random) && !isHarsh
    func fault(_ choices: [Int]) -> Int { isCalm ? 0 : one(of: choices) }
    let isSlow = one(of: [0, 0, 1]) == 1
    longestWait = isSlow ? 100_000 : 50
    let copies = fault([0, 0, 1, 3])
    let restores = fault([0, 0, 1, 3])
    let serverRestores = fault([0, 0, 1, 3])
    // Decided apart, so that runs without it stay what they were.
    var rare = SplitMix64(seed: seed ^ 0x0BE7_7A4E)
    let overtakings = isCalm ? 0 : [0, 0, 0, 3, 10].randomElement(using: &rare) ?? 0
    weights = [
      (.write, one(of: hasLists ? [30, 60] : [6, 16, 50])), (.writeLocally, 4),
      (.subscribe, one(of: [2, 6])),
      (.connect, 14), (.drop, isCalm ? one(of: [0, 1]) : one(of: [1, 3, 10])), (.send, 18),
      (.deliverUp, 24), (.deliverDown, 20), (.stream, 20), (.crashDevice, fault([0, 1, 6])),
      (.crashServer, fault([0, 1, 3])), (.part, fault([0, 1])), (.wait, 6),
      (.exchange, one(of: [0, 10, 30])), (.disturb, fault([0, 0, 20])),
      (.storm, fault([0, 0, 2, 6])),
      (.copyDevice, copies), (.backUpDevice, 2 * restores), (.restoreDevice, restores),
      (.backUpServer, 2 * serverRestores), (.restoreServer, serverRestores),
      (.overtake, overtakings),
    ]
    relaxedPercentage = one(of: [0, 40, 90])
    // A bug that shows where two devices make the same kind of edit shows sooner where they make few
    // others, of few objects.
    var kinds = Edit.allCases
    switch isHarsh ? one(of: [0, 1, 2]) : 0 {
    case 1: kinds.removeAll { _ in Bool.random(using: &random) }
    case 2: kinds = [Edit.allCases.randomElement(using: &random) ?? .a]
    default: break
    }
    keys = SyncSchema.keys.prefix(kinds.count == 1 ? 2 : SyncSchema.keys.count)
    edits = kinds.isEmpty ? Self.allEdits : Self.allEdits.filter(kinds.contains)
    tearing = Bool.random(using: &random) ? .sectors512 : .blocks4096
    skews = (0..<deviceCount).map { _ in
      Int64(
        one(of: [
          0, 0, 0, -3, 3, 1000, -1000, 600_000, 600_003, Self.tenYears, -Self.tenYears,
        ]))
    }
    isProgressive = (0..<deviceCount).map { _ in one(of: [0, 0, 0, 1, 1]) == 1 }
    isReader = (0..<deviceCount).map { _ in one(of: [0, 0, 0, 1]) == 1 && !hasLists }
  }

  private static let allEdits: [Edit] = [
    .a, .a, .a, .b, .b, .text, .other, .detail, .numbers, .collection, .collection, .count, .count,
    .move, .move, .inside, .inside, .inside, .inside,
  ]

  /// An action, chosen by the weights.
  func action(using random: inout SplitMix64) -> Action {
    var rest = Int.random(in: 0..<weights.reduce(0) { $0 + $1.weight }, using: &random)
    for (action, weight) in weights {
      if rest < weight { return action }
      rest -= weight
    }
    return .wait
  }
}
