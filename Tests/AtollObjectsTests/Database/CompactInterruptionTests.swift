import AtollObjects
import AtollStorage
import TestSupport
import TestThreads
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// What others see of a compaction that changes the key, and what is left of one that was killed.
@Suite(.computing) struct CompactInterruptionTests {
  private let folder = TemporaryFolder()
  private var path: String { folder.path(of: "data") }

  init() {
    // A process that ended too early is an error of the test that speaks to it.
    ChildProcess.ignoreBrokenPipes()
  }

  private static func key(_ number: Int) -> [UInt8] {
    (0..<32).map { UInt8($0) &* UInt8(number) }
  }

  private static func options(_ keyNumber: Int) -> Database.Options {
    Database.Options(mode: .readWrite, encryptionKey: key(keyNumber))
  }

  private static let texts: [String] = (0..<2_500).map { "thing \($0)" }
  /// Each has pages of its own, and so a call of `progress`.
  private static let smallClasses = ["Third", "Fourth", "Fifth"]

  /// Makes a file with key 1 that has free space.
  private func makeFile() throws {
    let database = try Database.open(
      path, options: Database.Options(encryptionKey: Self.key(1)))
    try database.write { transaction in
      for name in ["Thing", "Other"] + Self.smallClasses {
        try transaction.addClass(
          ClassSchema(name, properties: [PropertySchema("text", .string, isIndexed: true)]))
        for text in Self.smallClasses.contains(name) ? Self.texts.prefix(20) : Self.texts[...] {
          try transaction.create(name, ["text": .string(text)])
        }
      }
    }
    try database.write { transaction in
      for number in 1...2_000 {
        try transaction.delete("Other", ObjectKey(rawValue: UInt64(number)))
      }
    }
    try database.close()
  }

  /// Opens the file with a key, and looks whether everything is there.
  private func expectWhole(keyNumber: Int, added: [String] = []) throws {
    let database = try Database.open(path, options: Self.options(keyNumber))
    #expect(database.store.recovery == .clean)
    try database.expectSound()
    try Self.expectContents(of: database, added: added)
    try database.close()
  }

  private static func expectContents(of database: Database, added: [String] = []) throws {
    let snapshot = try database.snapshot()
    let small = smallClasses.map { ($0, Array(texts.prefix(20))) }
    for (name, expected) in [("Thing", texts + added), ("Other", Array(texts[2_000...]))] + small {
      var found: [String] = []
      try snapshot.table(name).forEach { found.append(try $0["text"].string ?? "") }
      #expect(found == expected)
    }
  }

  private func compact(from old: Int, to new: Int, progress: (Double) -> Void = { _ in }) throws {
    let (before, after) = try Database.compact(
      path, encryptionKey: Self.key(old), encryption: .key(Self.key(new)), progress: progress)
    #expect(after <= before)
  }

  private func expectNoTemporaryFiles() {
    #expect(folder.names() == ["data", "data-lock"])
  }

  private func start(_ work: String, _ arguments: String...) throws -> ChildProcess {
    try ChildProcess(ChildProcess.path(ofProgram: "probe"), [work, path] + arguments)
  }

  @Test func aKilledCompactionLeavesTheFileAsItWas() throws {
    try makeFile()
    var (key, otherKey) = (1, 2)
    var place = 0
    while true {
      let before = try PosixFile(path: path, mode: .readOnly).identity
      let process = try start("compact", "\(key)", "\(otherKey)")
      var line = try process.receive()
      for _ in 0..<place where line != "done" { line = try process.ask("go on") }
      if line == "done" { break }
      #expect(line.hasPrefix("progress"))
      process.kill()
      let after = try PosixFile(path: path, mode: .readOnly).identity
      #expect(before == after)
      try expectWhole(keyNumber: key)
      if place % 3 == 1 {
        try compact(from: key, to: otherKey)
        expectNoTemporaryFiles()
        swap(&key, &otherKey)
        try expectWhole(keyNumber: key)
      }
      place += 1
    }
    // It was killed at every call before, and the last one was not killed.
    #expect(place > 4)
    expectNoTemporaryFiles()
    try expectWhole(keyNumber: otherKey)
  }

  /// From the last call of `progress` on the file is the old one or the new one, at any moment.
  @Test func aCompactionKilledAtItsEndLeavesOneOfTheTwoFiles() throws {
    try makeFile()
    var (key, otherKey) = (1, 2)
    for round in 0..<12 {
      let process = try start("compact", "\(key)", "\(otherKey)")
      while try process.receive() != "progress 1.0" { try process.send("go on") }
      try process.send("go on")
      usleep(UInt32(round * 700))
      process.kill()
      do {
        try expectWhole(keyNumber: key)
      } catch ObjectError.storage(.encryption(_, .keyWrong)) {
        swap(&key, &otherKey)
        try expectWhole(keyNumber: key)
      }
    }
    try compact(from: key, to: otherKey)
    expectNoTemporaryFiles()
    try expectWhole(keyNumber: otherKey)
  }

  /// The file may be opened until the copy takes its place, and then it does not.
  @Test func whoOpensTheFileMeanwhileKeepsIt() throws {
    try makeFile()
    let inUse = ObjectError.storage(.inUse(path: path, processIDs: [getpid()]))
    for isLast in [false, true] {
      var other: Database?
      var failure: (any Error)?
      #expect(throws: inUse) {
        try compact(from: 1, to: 2) { share in
          guard other == nil, !isLast || share == 1 else { return }
          do {
            other = try Database.open(path, options: Self.options(1))
          } catch { failure = error }
        }
      }
      #expect(failure == nil)
      expectNoTemporaryFiles()
      let database = try #require(other)
      try Self.expectContents(of: database)
      try database.close()
      try expectWhole(keyNumber: 1)
    }
    // Who only looked is in nobody's way.
    try compact(from: 1, to: 2) { _ in
      do {
        let other = try Database.open(path, options: Self.options(1))
        try Self.expectContents(of: other)
        try other.close()
      } catch { Issue.record(error) }
    }
    expectNoTemporaryFiles()
    try expectWhole(keyNumber: 2)
  }

  /// What another process writes meanwhile waits, and is in the file that stays.
  @Test func whatAnotherProcessWritesMeanwhileIsNotLost() throws {
    try makeFile()
    let process = try start("use", "1")
    #expect(try process.receive() == "opened")
    #expect(throws: ObjectError.storage(.inUse(path: path, processIDs: [process.processID]))) {
      try compact(from: 1, to: 2)
    }
    #expect(try process.ask("close") == "done")

    var writer: ChildProcess?
    let error = #expect(throws: ObjectError.self) {
      try compact(from: 1, to: 2) { _ in
        guard writer == nil else { return }
        do {
          let process = try start("use", "1")
          #expect(try process.receive() == "opened")
          try process.send("from outside")
          #expect(try process.receive(within: .milliseconds(50)) == nil)
          writer = process
        } catch { Issue.record(error) }
      }
    }
    let waiting = try #require(writer)
    #expect(error == .storage(.inUse(path: path, processIDs: [waiting.processID])))
    #expect(try waiting.receive() == "added")
    #expect(try waiting.ask("close") == "done")
    try expectWhole(keyNumber: 1, added: ["from outside"])
    try compact(from: 1, to: 2)
    expectNoTemporaryFiles()
    try expectWhole(keyNumber: 2, added: ["from outside"])
  }

  /// Between the opening of the file and the place among its users a compaction may end.
  @Test func whoWaitsForTheEndOfACompactionOpensTheNewFile() throws {
    for _ in 0..<4 {
      let name = folder.path(of: "data")
      let database = try Database.open(name)
      try database.write {
        try $0.addClass(ClassSchema("Old", properties: [PropertySchema("text", .string)]))
      }
      try database.close()
      let newName = folder.path(of: "new")
      let replacement = try Database.open(newName)
      try replacement.write {
        try $0.addClass(ClassSchema("New", properties: [PropertySchema("text", .string)]))
      }
      try replacement.close()

      // The last steps of a compaction.
      let file = try PosixFile(path: name, mode: .readWrite)
      let coordinator = try LockFile(for: file)
      #expect(try coordinator.excludeOthers())
      onThreads(2) { index in
        do {
          if index == 0 {
            let opened = try Database.open(name)
            let classes = try opened.snapshot().schema.classes.map(\.name)
            #expect(classes == ["New"])
            try opened.close()
          } else {
            // So long that the other thread waits for its place by now, one of the times at least.
            usleep(100_000)
            try PosixFile(path: newName, mode: .readWrite).takePlace(of: file)
            coordinator.close()
          }
        } catch {
          Issue.record(error)
          coordinator.close()
        }
      }
      file.close()
    }
  }
}
