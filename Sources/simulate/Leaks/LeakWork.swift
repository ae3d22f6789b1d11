internal import AtollSync
internal import TestSupport

/// What is counted.
enum LeakEvent: String, CaseIterable, Sendable {
  case steps, operations, frames, bytes
}

/// `simulate leaks` as work that a seed decides: two worlds that differ only in data that one user
/// may not read; the frames sent to that user must be the same, byte by byte.
enum LeakWork: SeedWork {
  typealias Event = LeakEvent

  static let commandName = "leaks"
  static let countOption = "worlds"
  static let defaultSeedCount: UInt64 = 2_000
  private static let stepCount = 40

  static func outcome(of seed: UInt64, isVerbose: Bool) -> SeedOutcome<LeakEvent> {
    var outcome = SeedOutcome<LeakEvent>()
    var step = 0
    do {
      let worlds = try [1, 2].map { try LeakWorld(seed: seed, secrets: $0) }
      while step <= stepCount {
        for world in worlds { try step < stepCount ? world.step() : world.finish() }
        if let difference = difference(worlds[0].spy.heard, worlds[1].spy.heard) {
          outcome.violation = violation(seed, step, difference)
          break
        }
        step += 1
      }
      let heard = worlds[0].spy.heard
      outcome.tally[.steps] = step
      outcome.tally[.operations] = worlds.reduce(0) { $0 + $1.operationCount }
      outcome.tally[.frames] = heard.count
      outcome.tally[.bytes] = heard.reduce(0) { $0 + $1.count }
      for frame in heard {
        for byte in frame { outcome.digest = (outcome.digest ^ UInt64(byte)) &* 0x100_0000_01B3 }
      }
    } catch {
      outcome.violation = violation(seed, step, "\(error)")
    }
    return outcome
  }

  static func headline(_ tally: SeedTally<LeakEvent>) -> String {
    LeakEvent.allCases.map { "\($0.rawValue) \(tally[$0])" }.joined(separator: ", ")
  }

  private static func violation(_ seed: UInt64, _ step: Int, _ text: String) -> SeedViolation {
    SeedViolation(seed: seed, step: step, message: text, history: [])
  }

  /// The difference between the spy's frames in two worlds; nil when there is none.
  private static func difference(_ a: [[UInt8]], _ b: [[UInt8]]) -> String? {
    for (index, frames) in zip(a, b).enumerated() where frames.0 != frames.1 {
      return "frame \(index) is \(text(frames.0)) in one world and \(text(frames.1)) in the other"
    }
    return a.count == b.count ? nil : "\(a.count) frames in one world and \(b.count) in the other"
  }

  private static func text(_ frame: [UInt8]) -> String {
    var reader = MessageReader()
    guard let message = try? reader.receive(frame) else { return "\(frame.count) bytes" }
    return "\(message)"
  }
}
