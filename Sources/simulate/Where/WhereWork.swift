internal import Atoll
internal import Foundation
internal import TestSupport

/// What is counted.
enum WhereEvent: String, CaseIterable, Sendable {
  case conditions, nodes, matches
  case nothing = "conditions without a match"
  case everything = "conditions that all match"
}

/// `simulate where` as work that a seed decides: objects, and conditions that are asked of them.
enum WhereWork: SeedWork {
  typealias Event = WhereEvent
  typealias Bug = WhereMistake

  static let commandName = "where"
  static let defaultSeedCount: UInt64 = 2_000
  static let plantedSeedLimit: UInt64 = 400
  private static let conditionCount = 24

  static func outcome(
    of seed: UInt64, planted: WhereMistake?, isVerbose: Bool
  ) -> SeedOutcome<WhereEvent> {
    var outcome = SeedOutcome<WhereEvent>()
    var random = SplitMix64(seed: seed)
    var step = 0
    do {
      let world = try WhereWorld(&random, name: "where-\(UUID().uuidString)")
      let reading = WhereReading(nodes: world.nodes, mistake: planted)
      var maker = WhereMaker(random: random, objects: world.objects)
      outcome.tally[.nodes] = world.nodes.count
      while step < conditionCount {
        let condition = maker.condition()
        let expected = world.nodes.indices.filter { condition.holds(reading, $0) }
        let answer = try WhereAnswer(of: condition, in: world.realm)
        if isVerbose { print("\(answer.text)  \(expected)") }
        outcome.tally[.conditions] += 1
        outcome.tally[.matches] += expected.count
        if expected.isEmpty { outcome.tally[.nothing] += 1 }
        if expected.count == world.nodes.count { outcome.tally[.everything] += 1 }
        for id in expected { outcome.digest = (outcome.digest ^ UInt64(id)) &* 0x100_0000_01B3 }
        outcome.digest = (outcome.digest ^ UInt64(step + 100)) &* 0x100_0000_01B3
        if let difference = answer.difference(from: expected, of: world.nodes.count) {
          outcome.violation = violation(seed, step, difference, answer, expected, world)
          break
        }
        step += 1
      }
    } catch {
      outcome.violation = SeedViolation(seed: seed, step: step, message: "\(error)", history: [])
    }
    return outcome
  }

  static func headline(_ tally: SeedTally<WhereEvent>) -> String {
    WhereEvent.allCases.map { "\($0.rawValue) \(tally[$0])" }.joined(separator: ", ")
  }

  /// What it takes to understand a difference: the condition, and the objects that it is about.
  private static func violation(
    _ seed: UInt64, _ step: Int, _ difference: String, _ answer: WhereAnswer, _ expected: [Int],
    _ world: WhereWorld
  ) -> SeedViolation {
    var history = ["condition: \(answer.text)", "arguments: \(answer.arguments)"]
    history += ["expected: \(expected)", "where: \(answer.found)", "text: \(answer.ofText)"]
    history += world.nodes.enumerated().map { "\($0.offset): \($0.element)" }
    return SeedViolation(seed: seed, step: step, message: difference, history: history)
  }
}

/// The answers of a realm to one condition, asked in different ways.
struct WhereAnswer {
  let text: String
  let arguments: [Any]
  let found: [Int]
  /// The answer to the condition as text.
  let ofText: [Int]
  private let count: Int
  private let complement: [Int]

  init(of condition: WhereCondition, in realm: Realm) throws {
    let nodes = realm.objects(WhereNode.self)
    var text = ""
    var arguments: [Any] = []
    let results = nodes.where {
      let query = condition.query(.object($0))
      (text, arguments) = query._constructPredicate()
      return query
    }
    found = results.map(\.id)
    count = nodes.where { condition.query(.object($0)) }.count
    complement = nodes.where { !condition.query(.object($0)) }.map(\.id)
    ofText = try nodes.query(NSPredicate(format: text, argumentArray: arguments)).map(\.id)
    self.text = text
    self.arguments = arguments
  }

  /// What is wrong with the answers; nil for nothing.
  func difference(from expected: [Int], of nodeCount: Int) -> String? {
    if found != expected { return "where { } finds \(found), and \(expected) are right" }
    if count != expected.count { return "count is \(count), and \(expected.count) is right" }
    if ofText != expected { return "the text '\(text)' finds \(ofText), and \(expected) are right" }
    let others = (0..<nodeCount).filter { !expected.contains($0) }
    return complement == others ? nil : "the negation finds \(complement), and \(others) are right"
  }
}
