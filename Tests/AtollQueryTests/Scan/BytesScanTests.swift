import AtollObjects
import TestThreads
import Testing

@testable import AtollQuery

@Suite(.computing) struct BytesScanTests {
  /// One search goes through all entries: it finds the needle where one ends and the next begins,
  /// too.
  @Test func aNeedleIsFoundInsideOfEntriesOnly() throws {
    let database = try Database.inMemory()
    var texts: [String] = []
    for length in 0..<120 {
      // 77 and 120 share no factor: every length once, long and short ones mixed.
      let text = String(repeating: "a", count: length * 77 % 120)
      texts += [text, text + "b" + text.dropFirst(60), String(text.dropFirst(60)) + "ba"]
    }
    try database.write { transaction in
      try transaction.addClass(
        ClassSchema("Row", properties: [PropertySchema("text", .string)]))
      for text in texts { try transaction.create("Row", ["text": .string(text)]) }
    }
    let snapshot = try database.snapshot()
    for length in 1..<130 {
      let run = String(repeating: "a", count: length)
      for needle in [run, "b" + run, run + "b", run + "b" + run] {
        let query = try Query("text CONTAINS '\(needle)'", on: "Row", in: snapshot.schema)
        let expected = texts.indices.filter { texts[$0].contains(needle) }
        let found = try query.results(in: snapshot).keys.map { Int($0.rawValue) - 1 }
        #expect(found == expected, "\(needle)")
      }
    }
  }

  /// A scan of every row also sets rows whose outcome is not asked for.
  @Test(arguments: [1, 3, 60])
  func ofFewActiveRowsOnlyTheseAreComparedFolded(stride: Int) throws {
    let database = try Database.inMemory()
    let count = 120
    try database.write { transaction in
      try transaction.addClass(
        ClassSchema("Row", properties: [PropertySchema("text", .string)]))
      for index in 0..<count {
        // Different ones, so that there is no dictionary, and every other one equal to the constant
        // but for the case of its letters.
        let letters = "abcdefgh".enumerated().map { place, letter in
          index >> place & 1 == 1 ? letter.uppercased() : String(letter)
        }
        try transaction.create(
          "Row", ["text": .string(letters.joined() + (index % 2 == 0 ? "" : "x"))])
      }
    }
    let snapshot = try database.snapshot()
    let query = try Query("text ==[c] 'ABCDEFGH'", on: "Row", in: snapshot.schema)
    let run = try QueryRun(query.bound, [], in: snapshot, for: .keys)
    let column = try snapshot.table("Row").column("text")
    let predicate = BytesPredicate(
      .compare(.equal, .string("ABCDEFGH"), folding: .ignoringCase), .string)
    let active = Selection()
    active.fill(count, false)
    for row in Swift.stride(from: 0, to: count, by: stride) { active[row] = true }
    let found = Selection()
    try run.execution.scan(run.table, ConstantTest(true)) { leaf, _ in
      let vector = try #require(try leaf.column(column).bytes)
      #expect(vector.codes == nil && vector.count == count)
      try BytesScan.select(vector, predicate, active: active, found, run.execution.selections)
      return true
    }
    for row in 0..<count {
      let isAsked = active[row] || stride < 4
      #expect(found[row] == (isAsked && row % 2 == 0), "\(row)")
    }
  }
}
