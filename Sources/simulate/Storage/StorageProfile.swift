internal import TestSupport

/// The parameters of a run, determined by its seed.
struct StorageProfile {
  enum Shape {
    /// Short, and repeated with the power cut at every write and synchronisation.
    case everyCut
    /// Long, with faults of all kinds and power cuts at random places.
    case faults
    /// Without faults, which would keep the file small, and with much data.
    case large
  }

  let shape: Shape
  let treeCount: Int
  /// Whether most transactions change all trees: more pages than a header slot lists, and soon more
  /// changes of the space log than its base is worth.
  let isWide: Bool
  /// Keys of a tree, in use or not.
  let keyCount: Int
  let stepCount: Int
  /// Most values are shorter than this.
  let commonByteLimit: Int
  /// All values are shorter than this, but for those of the transaction that writes ahead.
  let rareByteLimit: Int
  let tearing: SimulatedFile.Tearing
  /// Whether one transaction has more bytes than wait in memory.
  let writesAhead: Bool
  /// How many of a hundred commits do not wait for the disk.
  let relaxedPercentage: Int
  /// Whether some commits do not even care for the order of writes.
  let isCareless: Bool
  /// Whether the file is encrypted.
  let isEncrypted: Bool
  /// Whether two processes take turns.
  let isShared: Bool
  /// How often a step, of a hundred, makes the file shorter.
  let compactionPercentage: Int

  init(seed: UInt64) {
    // Not the generator of the run, so that a profile can change without changing the runs.
    var random = SplitMix64(seed: seed ^ 0x5BD1_E995_9D1C_A3E5)
    switch seed % 4 {
    case 1: shape = .everyCut
    case 3: shape = .faults
    default: shape = .large
    }
    tearing = Bool.random(using: &random) ? .sectors512 : .blocks4096
    isWide = Int.random(in: 0..<10, using: &random) == 0
    switch shape {
    case .everyCut:
      treeCount = isWide ? 110 : Int.random(in: 1...3, using: &random)
      keyCount = isWide ? 3 : Int.random(in: 5...60, using: &random)
      stepCount = Int.random(in: isWide ? 2...3 : 3...7, using: &random)
      commonByteLimit = isWide ? 60 : 700
      rareByteLimit = isWide ? 600 : 12_000
    case .faults:
      treeCount = isWide ? 110 : Int.random(in: 1...4, using: &random)
      keyCount = isWide ? 4 : Int.random(in: 20...250, using: &random)
      stepCount = Int.random(in: 20...(isWide ? 200 : 90), using: &random)
      commonByteLimit = isWide ? 100 : 1_500
      rareByteLimit = 25_000
    case .large:
      treeCount = isWide ? 130 : Int.random(in: 1...6, using: &random)
      keyCount = isWide ? 12 : Int.random(in: 100...400, using: &random)
      stepCount = isWide ? 200 : Int.random(in: 20...45, using: &random)
      commonByteLimit = isWide ? 200 : 2_500
      rareByteLimit = isWide ? 9_000 : 60_000
    }
    writesAhead = shape == .large && !isWide && Int.random(in: 0..<40, using: &random) == 0
    isEncrypted = Int.random(in: 0..<3, using: &random) == 0
    relaxedPercentage = [0, 40, 70, 90][Int.random(in: 0..<4, using: &random)]
    isCareless = Int.random(in: 0..<8, using: &random) == 0
    let compacts = Bool.random(using: &random)
    compactionPercentage = compacts ? (shape == .everyCut ? 40 : 12) : 0
    isShared = Int.random(in: 0..<3, using: &random) == 0
  }
}
