import AtollImport
import AtollObjects
import AtollStorage
import Foundation
import TestSupport
import TestThreads
import Testing

@testable import AtollCommand

/// `info`, `check`, `dump` and `compact`.
@Suite(.computing) struct FileCommandTests {
  @Test func infoShowsClassesAndSizes() throws {
    let run = CommandRun()
    try run.importAll()
    let text = run.expect("info", run.path("geo"))
    for line in [
      "Continent: 7 objects", "  code        string  primary key", "City: 395 objects",
      "  country         link to Country", "  population      int              indexed",
      "  admin1          string?", "  alternateNames  list of string", "without compression",
    ] {
      #expect(text.contains(line), "\(line) in \(text)")
    }
    let json = try #require(try readJSON(run.expect("info", run.path("geo"), "--json")).first)
    #expect(
      json.fields.map(\.name) == [
        "formatVersion", "version", "fileBytes", "liveBytes", "freeBytes", "retiredBytes",
        "uncompressedBytes", "compressionRatio", "pendingLinks", "classes", "rolledBackFrom",
        "sync", "isServerStore", "pinnedVersions", "isEncrypted", "otherProcesses",
      ])
  }

  @Test func infoShowsIndexesOfSeveralPropertiesAndRules() throws {
    let run = CommandRun()
    let database = try Database.open(run.path("rules"))
    try database.write { transaction in
      try transaction.addClass(
        ClassSchema(
          "Task",
          properties: [
            PropertySchema("owner", .string), PropertySchema("due", .date),
            PropertySchema("parts", linkTo: "Task", collection: .list, deletionRule: .cascade),
            PropertySchema("next", linkTo: "Task", deletionRule: .deny),
          ],
          indexes: [
            IndexSchema(["owner", "due"], isUnique: true), IndexSchema(["due", "owner"]),
          ]))
    }
    try database.close()
    let text = run.expect("info", run.path("rules"))
    for line in [
      "  parts  list of link to Task  cascade\n", "  next   link to Task          deny\n",
      "  unique index: owner, due\n", "  index: due, owner\n",
    ] {
      #expect(text.contains(line), "\(line) in \(text)")
    }
    #expect(
      run.expect("info", run.path("rules"), "--json").contains(
        #""indexes":[{"properties":["owner","due"],"isUnique":true},"#
          + #"{"properties":["due","owner"],"isUnique":false}]"#))
  }

  @Test func infoShowsWhoHasTheFileOpenAndWhoWrites() throws {
    let run = CommandRun()
    try run.importAll()
    let geo = run.path("geo")
    let database = try Database.open(geo)
    run.secondsSince1970 = SystemCalls.secondsSince1970() + 7_230
    let name = "process \(ProcessInfo.processInfo.processIdentifier) has had the file open for 2 h"
    let idle = run.expect("info", geo)
    #expect(idle.contains(name) && !idle.contains("in a transaction"), "\(idle)")
    try database.write { _ in
      let text = run.expect("info", geo)
      #expect(text.contains(", and has been in a transaction for 2 h"), "\(text)")
      #expect(text.contains(name))
      let json = run.expect("info", geo, "--json")
      #expect(json.contains(/"seconds":72\d\d,"writingSeconds":72\d\d}/), "\(json)")
      // The clock of the other process may be ahead.
      run.secondsSince1970 = 1_700_000_000
      #expect(run.expect("info", geo).contains("in a transaction for less than 1 s"))
    }
    #expect(!run.expect("info", geo).contains("in a transaction"))
    #expect(run.expect("info", geo, "--json").contains(#""writingSeconds":null"#))
    try database.close()
    #expect(!run.expect("info", geo).contains("process "))
  }

  /// A waiting writer names the process for which it waits.
  @Test func aCommandSaysThatItWaitsForATransaction() throws {
    let run = CommandRun()
    try run.importAll()
    let geo = run.path("geo")
    let data = try run.file("more.json", #"{"code":"ZZ","name":"Atlantis"}"#)
    let database = try Database.open(geo)
    let transaction = try database.beginWrite()
    let program = try ChildProcess(
      "/bin/sh",
      [
        "-c", #"exec "$0" "$@" 2>&1"#, ChildProcess.path(ofProgram: "atoll"), "import", geo,
        "Continent", data, "--json",
      ])
    let line = try #require(try program.receive(within: .seconds(1_800)))
    let processID = ProcessInfo.processInfo.processIdentifier
    #expect(line.hasPrefix("waiting: process \(processID) has had the file open for "), "\(line)")
    #expect(line.contains(", and has been in a transaction for "), "\(line)")
    transaction.cancel()
    #expect(try program.receive(within: .seconds(1_800))?.hasPrefix("{") == true)
    #expect(program.waitForSuccess())
    try database.close()
  }

  @Test func theStoreOfAServerIsNamedAndTakesNoImport() throws {
    let run = CommandRun()
    try run.importGeography(.continent)
    let geo = run.path("geo")
    let data = try run.file("more.json", #"{"code":"ZZ","name":"Atlantis"}"#)
    #expect(!run.expect("info", geo).contains("the store of a server"))
    let database = try Database.open(geo)
    // As a server does when it starts.
    try database.write { transaction in
      try transaction.namedTree("server.state").set([1], for: Array("state".utf8))
    }
    try database.close()

    let outcome = run("import", geo, "Continent", data)
    #expect(outcome.status == .failure && outcome.errors.contains("is the store of a server"))
    let text = run.expect("info", geo)
    #expect(text.contains("the store of a server") && text.contains("Continent: 7 objects"))
    // Its contents in a file of their own are as any others.
    let dump = try run.file("geo.jsonl", run.expect("dump", geo))
    run.expect("import", run.path("copy"), dump)
    run.expect("import", run.path("copy"), "Continent", data)
  }

  @Test func infoShowsWhoHoldsAnOldVersion() throws {
    let run = CommandRun()
    try run.importAll()
    let database = try Database.open(run.path("geo"))
    let pinned = try database.snapshot()
    try run.importGeography(.country)
    let text = run.expect("info", run.path("geo"))
    #expect(text.contains("1 older version is pinned by readers"), "\(text)")
    #expect(text.contains("  version \(pinned.version), process "))
    withExtendedLifetime(pinned) {}
  }

  @Test func checkSaysYes() throws {
    let run = CommandRun()
    try run.importAll()
    let text = run.expect("check", run.path("geo"))
    #expect(text.contains(": no faults in "))
    #expect(text.contains(" and 654 objects, 0 µs"))
    #expect(run.expect("check", run.path("geo"), "--json").hasPrefix("{\"isSound\":true,"))
  }

  @Test func checkSaysNoToWhatIsNoDatabase() throws {
    let run = CommandRun()
    let other = try run.file("other", String(repeating: "no database\n", count: 1000))
    let outcome = run("check", other)
    #expect(outcome.status == .failure)
    #expect(outcome.output.contains("is not an Atoll database"))
    #expect(outcome.output.contains("1 fault; the file cannot be opened"))
    #expect(run("check", other, "--json").output.hasPrefix("{\"isSound\":false,\"faults\":[\""))
  }

  /// The newest version lies in another one; the next transaction heals it.
  @Test func aLostHeaderSlotNeedsNoSalvage() throws {
    let run = CommandRun()
    try run.importAll()
    let bytes = try readFile(run.path("geo"))
    var healedCount = 0
    for block in 0..<Int(Block.firstPage) {
      let path = run.path("slot \(block)")
      var changed = bytes
      let slot = block * Block.byteCount..<(block + 1) * Block.byteCount
      changed.replaceSubrange(slot, with: [UInt8](repeating: 0, count: Block.byteCount))
      try Data(changed).write(to: URL(filePath: path))
      let outcome = run("check", path)
      #expect(outcome.status == .failure)
      let isOpened = !outcome.output.contains("cannot be opened")
      #expect(outcome.errors.contains("rewrites the header slot") == isOpened)
      #expect(outcome.errors.contains("salvage") != isOpened)
      guard isOpened else { continue }
      let data = try run.file("more \(block).jsonl", "{\"id\":1}\n")
      run.expect("import", path, "More", data)
      run.expect("check", path)
      healedCount += 1
    }
    #expect(healedCount == 2)
  }

  /// A file that is no database is unchanged, with nothing beside it.
  @Test(arguments: ["", "short", String(repeating: "no database\n", count: 2000)])
  func noCommandMakesADatabaseOfAnotherFile(text: String) throws {
    let run = CommandRun()
    let other = try run.file("other", text)
    for arguments in [
      ["compact", other], ["compact", other, "--in-place"], ["info", other], ["check", other],
      ["dump", other], ["query", other, "C", "TRUEPREDICATE"], ["salvage", other, run.path("new")],
    ] {
      let outcome = run(arguments)
      #expect(outcome.status == .failure, "\(arguments)")
      #expect(
        (outcome.output + outcome.errors).contains(
          text.isEmpty ? "other is empty" : "other is not an Atoll database"), "\(arguments)")
      #expect(!outcome.errors.contains("salvage"))
      #expect(try readFile(other) == Array(text.utf8), "\(arguments)")
      #expect(throws: (any Error).self) { try FileSource(path: other + "-lock") }
      #expect(throws: (any Error).self) { try FileSource(path: run.path("new")) }
    }
    for command in ["compact", "info"] {
      #expect(run(command, run.path("missing")).errors.contains("No such file"))
      #expect(throws: (any Error).self) { try FileSource(path: run.path("missing")) }
    }
  }

  @Test func anImportIntoAnEmptyFileMakesADatabase() throws {
    let run = CommandRun()
    let data = try run.file("a.json", "{\"id\":1}\n")
    let empty = try run.file("empty", "")
    run.expect("import", empty, "C", data)
    #expect(run.expect("dump", empty, "C") == "{\"id\":1}\n")
  }

  @Test func damageNamesTheWayOut() throws {
    let run = CommandRun()
    try run.importAll()
    let geo = run.path("geo")
    var bytes = try readFile(geo)
    for block in 3..<bytes.count / 4096 { bytes[block * 4096 + 100] ^= 1 }
    try writeFile(geo, bytes)
    let hint = "'atoll salvage' copies what can still be read into a new file\n"
    for arguments in [["check", geo], ["dump", geo]] {
      let outcome = run(arguments)
      #expect(outcome.status == .failure)
      #expect(outcome.errors.hasSuffix(hint), "\(outcome.errors)")
    }
    #expect(!run("salvage", geo, run.path("new")).errors.contains(hint))
  }

  /// A damaged file is never read wrong: a command fails, or answers as before the damage.
  @Test(arguments: 0..<4)
  func noFlippedBitGivesAWrongAnswer(part: Int) throws {
    let run = CommandRun()
    try run.importAll()
    let geo = run.path("geo")
    let whole = try readFile(geo)
    let dump = run.expect("dump", geo)
    let blocks = whole.count / 4096
    var foundCount = 0
    for block in stride(from: part, to: blocks, by: 4) {
      // Near its beginning, where the page's header and its first entries are, or the slot.
      var damaged = whole
      damaged[block * 4096 + (block * 37) % 200] ^= 1 << UInt8(block % 8)
      let path = run.path("damaged\(block)")
      try writeFile(path, damaged)
      let check = run("check", path)
      if check.status == .success {
        let isSame = run("dump", path).output == dump
        #expect(isSame, "block \(block)")
      } else {
        foundCount += 1
        #expect(check.output.contains("fault"))
        let outcome = run("dump", path)
        let isSame = outcome.output == dump
        #expect(outcome.status == .failure || isSame, "block \(block)")
      }
    }
    #expect(foundCount > 0)
  }

  @Test func aKeyIsAskedOfEveryCommand() throws {
    let run = CommandRun()
    let key = run.path("key")
    try writeFile(key, (0..<64).map { UInt8($0) })
    let other = run.path("other")
    try writeFile(other, [UInt8](repeating: 9, count: 32))
    let data = try run.file("a.json", "{\"id\":1,\"name\":\"lagoon\"}\n")
    run.expect("import", run.path("g"), "C", data, "--primary-key", "id", "--key-file", key)
    let dump = run.expect("dump", run.path("g"), "C", "--key-file", key)
    #expect(dump == "{\"id\":1,\"name\":\"lagoon\"}\n")
    run.expect("check", run.path("g"), "--key-file", key)
    run.expect("info", run.path("g"), "--key-file", key)
    #expect(
      run.expect("query", run.path("g"), "C", "id == 1", "--count", "--key-file", key) == "1\n")
    for (arguments, message) in [
      ([], "it is encrypted, and no key was given"),
      (["--key-file", other], "it is encrypted with another key than the one that was given"),
      (["--key-file", data], "the key has 25 bytes, and an encryption key has 64 or 32"),
    ] {
      let outcome = run(["dump", run.path("g"), "C"] + arguments)
      #expect(outcome.status == .failure)
      #expect(outcome.errors.contains(message), "\(outcome.errors)")
    }
    run.expect("compact", run.path("g"), "--key-file", key, "--new-key-file", other)
    #expect(run.expect("dump", run.path("g"), "C", "--key-file", other) == dump)
    run.expect("compact", run.path("g"), "--key-file", other, "--decrypt")
    #expect(run.expect("dump", run.path("g"), "C") == dump)
    let needless = run("dump", run.path("g"), "C", "--key-file", key)
    #expect(needless.errors.contains("it is not encrypted, but a key was given"))
    #expect(
      run("compact", run.path("g"), "--new-key-file", key, "--decrypt").status == .usage)
  }

  @Test func checkFindsATruncatedFile() throws {
    let run = CommandRun()
    try run.importAll()
    let whole = try readFile(run.path("geo"))
    for byteCount in [1, 100, 4096, 8192, 20_000, whole.count / 2] {
      let path = run.path("truncated\(byteCount)")
      try writeFile(path, Array(whole[..<byteCount]))
      #expect(run("check", path).status == .failure, "\(byteCount) bytes")
    }
  }

  @Test func dumpOfTheWholeFileDescribesItsClasses() throws {
    let run = CommandRun()
    let text = "{\"id\":1,\"name\":\"x\",\"tags\":[\"a\"]}\n{\"id\":2,\"name\":null,\"tags\":[]}\n"
    let data = try run.file("a.json", text)
    run.expect(
      "import", run.path("g"), "C", data, "--primary-key", "id", "--index", "name")
    #expect(run.expect("dump", run.path("g"), "C") == text)
    #expect(
      run.expect("dump", run.path("g")) == """
        {"class":{"name":"C","isEmbedded":false,"primaryKey":"id","properties":[\
        {"name":"id","type":"int","isIndexed":true,"isFullTextIndexed":false},\
        {"name":"name","type":"string?","isIndexed":true,"isFullTextIndexed":false},\
        {"name":"tags","type":"list of string","isIndexed":false,"isFullTextIndexed":false}]}}
        {"of":"C","object":{"id":1,"name":"x","tags":["a"]}}
        {"of":"C","object":{"id":2,"name":null,"tags":[]}}

        """)
    let outcome = run("dump", run.path("g"), "D")
    #expect(outcome.status == .usage)
  }

  @Test func compactKeepsEverythingAndShrinksTheFile() throws {
    let run = CommandRun()
    for part in CommandRun.Geography.allCases {
      try run.importGeography(part, "--batch", "20")
    }
    // Links that wait for Atlantis are kept as well.
    let data = try run.file("a.json", #"{"iso":"AD","neighbours":["XX","ES"]}"#)
    run.expect("import", run.path("geo"), "Country", data)
    let geo = run.path("geo")
    let dump = run.expect("dump", geo)
    let before = try readFile(geo).count
    let output = run.expect("compact", geo)
    let after = try readFile(geo).count
    #expect(after < before)
    #expect(output == "\(geo): \(Quantity.bytes(before)) before, \(Quantity.bytes(after)) now\n")
    let isSame = run.expect("dump", geo) == dump
    #expect(isSame)
    #expect(run("check", geo).status == .success)
    #expect(run.expect("info", geo).contains("1 link waits"))
    let atlantis = try run.file("b.json", #"{"iso":"XX","name":"Atlantis"}"#)
    run.expect("import", geo, "Country", atlantis)
    #expect(
      run.expect("query", geo, "Country", "ANY neighbours.name == 'Atlantis'", "--count") == "1\n")
    let names = try FileManager.default.contentsOfDirectory(atPath: run.path(""))
    #expect(!names.contains { $0.contains("compact") }, "\(names)")
  }

  @Test func compactInPlaceWorksWhileOthersUseTheFile() throws {
    let run = CommandRun()
    for part in CommandRun.Geography.allCases {
      try run.importGeography(part, "--batch", "20")
    }
    let geo = run.path("geo")
    let dump = run.expect("dump", geo)
    let database = try Database.open(geo)
    var pinned: Snapshot? = try database.snapshot()
    let cities = try #require(pinned).table("City").count
    // The same again, so that all pages of the older version are held.
    for part in CommandRun.Geography.allCases { try run.importGeography(part) }
    let held = run.expect("compact", geo, "--in-place")
    #expect(held.contains("Readers of older versions hold"), "\(held)")
    #expect(held.contains("  version \(try #require(pinned).version), process "), "\(held)")
    #expect(try #require(pinned).table("City").count == cities)
    pinned = nil
    let before = try readFile(geo).count
    let json = try #require(try readJSON(run.expect("compact", geo, "--in-place", "--json")).first)
    #expect(
      json.fields.map(\.name) == [
        "bytesBefore", "bytesAfter", "movedBytes", "transactions", "heldBytes", "pinnedVersions",
      ])
    #expect(try readFile(geo).count < before)
    let again = run.expect("compact", geo, "--in-place")
    #expect(again.hasSuffix(" now\n") && again.split(separator: "\n").count == 1, "\(again)")
    let isSame = run.expect("dump", geo) == dump
    #expect(isSame)
    #expect(run("check", geo).status == .success)
    #expect(run("compact", geo, "--in-place", "--decrypt").status == .usage)
    try database.close()
  }

  @Test func compactToMakesABackupWhileOthersUseTheFile() throws {
    let run = CommandRun()
    try run.importAll()
    let geo = run.path("geo")
    let database = try Database.open(geo)
    let before = try readFile(geo)
    let text = run.expect("compact", geo, "--to", run.path("copy"))
    let version = try database.snapshot().version
    #expect(text.hasPrefix("\(run.path("copy")): version \(version) of \(geo), "), "\(text)")
    let isSame = run.expect("dump", run.path("copy")) == run.expect("dump", geo)
    let isUnchanged = try readFile(geo) == before
    #expect(isSame && isUnchanged)
    let again = run("compact", geo, "--to", run.path("copy"))
    #expect(again.status == .failure)
    #expect(again.errors.contains("exists; --to makes a new file"))
    #expect(run("compact", geo, "--to", run.path("c"), "--in-place").status == .usage)
    let key = try run.file("key", String(repeating: "k", count: 64))
    run.expect("compact", geo, "--to", run.path("secret"), "--new-key-file", key)
    #expect(run.expect("info", run.path("secret"), "--key-file", key).contains(", encrypted\n"))
    try database.close()
    // A copy that has not come to its end is no backup.
    var bytes = before
    for block in 3..<bytes.count / 4096 { bytes[block * 4096 + 100] ^= 1 }
    try writeFile(geo, bytes)
    #expect(run("compact", geo, "--to", run.path("half")).status == .failure)
    #expect(!FileSystem.exists(run.path("half")) && !FileSystem.exists(run.path("half-lock")))
  }

  /// Every command reports it, as the next transaction overwrites the evidence.
  @Test func aVersionThatWasLeftOutIsToldByEveryCommand() throws {
    let run = CommandRun()
    try run.importAll()
    let geo = run.path("geo")
    let database = try Database.open(geo)
    try database.write { try $0.set("Continent", .init(rawValue: 1), "name", .string("Arcadia")) }
    let (last, unclosed) = (try database.snapshot().version, try readFile(geo))
    try database.close()
    // The damaged page is of the last commit, in a file that was not closed.
    let isFound = try (3..<unclosed.count / 4096).contains { block in
      var bytes = unclosed
      bytes[block * 4096 + 100] ^= 1
      try writeFile(geo, bytes)
      return run("query", geo, "City", "TRUEPREDICATE", "--count").errors.contains("went back to")
    }
    try #require(isFound)
    let note = "version \(last) of '\(geo)' is not whole, after a crash or by damage"
    for command in ["check", "info", "dump"] {
      let outcome = run(command, geo)
      #expect(outcome.errors.contains(note), "\(outcome.errors)")
      #expect(outcome.status == .success)
    }
    #expect(run.expect("info", geo, "--json").contains(#""rolledBackFrom":\#(last)"#))
    let salvage = run("salvage", geo, run.path("new"))
    #expect(salvage.status == .failure)
    #expect(salvage.output.contains("lost: what a newer version changed"))
    #expect(!salvage.output.contains("nothing was lost"))
    let data = try run.file("more.json", #"{"code":"ZZ","name":"Atlantis"}"#)
    #expect(run("import", geo, "Continent", data).errors.contains(note))
    #expect(!run("check", geo).errors.contains("went back"))
  }

  @Test func compactLeavesAFileAloneThatOthersHaveOpen() throws {
    let run = CommandRun()
    try run.importAll()
    let before = try readFile(run.path("geo"))
    let database = try Database.open(run.path("geo"))
    let outcome = run("compact", run.path("geo"))
    #expect(outcome.status == .failure)
    let processID = ProcessInfo.processInfo.processIdentifier
    #expect(outcome.errors.contains("in use: process \(processID) has it open; 'atoll compact"))
    #expect(outcome.errors.contains("--in-place"))
    let isUnchanged = try readFile(run.path("geo")) == before
    #expect(isUnchanged)
    try database.close()
  }
}
