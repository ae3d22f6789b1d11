internal import Atoll
internal import Foundation
internal import TestSupport

// What other processes do with the file. After all of it the file is as before a migration, or as
// after it, and nothing between.

extension MigrationTrial {
  private func migrator(_ step: Int, _ options: [String] = []) throws -> ChildProcess {
    let child = try ChildProcess(
      ChildProcess.path(ofProgram: "simulate"),
      ["migrator", path, "--seed", "\(number)", "--step", "\(step)"] + options)
    guard try child.receive() == "begin" else {
      throw CaseViolation("a process cannot begin with step \(step)")
    }
    return child
  }

  private func isDone(_ step: Int) throws -> Bool {
    try schemaVersionAtURL(URL(filePath: path)) == UInt64(step) + 2
  }

  /// Lets another process begin with a migration, and kills it at some moment, or some write.
  mutating func migrateAndKill(_ script: FleetScript, step: Int) throws {
    let isAtWrite = Bool.random(using: &random)
    let count = Int.random(in: 0...12, using: &random)
    let child = try migrator(step, isAtWrite ? ["--death-at-write", "\(count)"] : [])
    if !isAtWrite {
      SystemClock.sleep(microseconds: Int.random(in: 0..<60_000, using: &random))
      child.kill()
    }
    // One that has made fewer writes, or was faster, has ended by itself.
    let answer = try? child.receive()
    _ = child.waitForEnd()
    let isDone = try isDone(step)
    if isDone, script.fails { throw CaseViolation("step \(step), which fails, was committed") }
    if let answer {
      try judge(answer, script, step: step)
      guard isDone == !script.fails else {
        throw CaseViolation("step \(step): a process says '\(answer)', and the file is as before")
      }
    } else {
      flags[isDone ? 2 : 1] = true
    }
    try check(script, step: step, isDone: isDone)
  }

  /// Judges what a process says that was not killed.
  private func judge(_ answer: String, _ script: FleetScript, step: Int) throws {
    guard answer == "refused " ? script.fails : ["ran", "passed"].contains(answer) && !script.fails
    else { throw CaseViolation("step \(step): '\(answer)', expected \(script.failures)") }
  }

  /// Lets two processes migrate the file at once, of which one may be killed, while a process of the
  /// old version reads and writes.
  mutating func migrateTogether(_ script: FleetScript, step: Int) throws {
    let reader = try ChildProcess(
      ChildProcess.path(ofProgram: "simulate"),
      ["fleet-reader", path, "--seed", "\(number)", "--step", "\(step)"])
    guard try reader.receive() == "begin" else {
      throw CaseViolation("a process cannot read before step \(step)")
    }
    let isKilled = Bool.random(using: &random)
    let death = ["--death-at-write", "\(Int.random(in: 0...12, using: &random))"]
    let migrators = try [
      migrator(step, ["--waits"] + (isKilled ? death : [])), migrator(step, ["--waits"]),
    ]
    for migrator in migrators { try migrator.send("go") }
    let answers = migrators.map { try? $0.receive() }
    for migrator in migrators { _ = migrator.waitForEnd() }
    try reader.send("end")
    let isDone = try isDone(step)
    // One of the two is never killed.
    guard isDone == !script.fails else {
      throw CaseViolation("step \(step), done: \(isDone): \(answers), \(script.failures)")
    }
    try listen(to: reader, step: step, isDone: isDone)
    for (index, answer) in answers.enumerated() {
      if let answer {
        try judge(answer, script, step: step)
      } else if !isKilled || index > 0 {
        throw CaseViolation("step \(step): process \(index) says nothing")
      }
    }
    let runCount = answers.count { $0 == "ran" }
    guard runCount == (script.fails ? 0 : 1) || isKilled && answers[0] == nil && runCount == 0
    else {
      throw CaseViolation("step \(step): the block was run \(runCount) times")
    }
    flags[3] = true
    try check(script, step: step, isDone: isDone)
  }

  /// Hears what the process of the old version says until its end.
  private mutating func listen(to reader: ChildProcess, step: Int, isDone: Bool) throws {
    while true {
      let words = try reader.receive().split(separator: " ", maxSplits: 1).map(String.init)
      switch words.first {
      case "count": tallyCount = Int(words[1]) ?? -1
      case "end":
        guard words[1] == (isDone ? "refused" : "written") else {
          throw CaseViolation(
            "step \(step), done: \(isDone): a write of the old version is \(words[1])")
        }
        return
      default: throw CaseViolation("step \(step): a process of the old version: \(words)")
      }
    }
  }
}
